import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

/** Admits only browsers that opened the printed address, and only pages of its own origin. */
export interface Guard {
  /** Single-use token for an address. */
  issueToken(): string;
  readonly middleware: MiddlewareHandler;
}

/** Only the program's own files may run or load, and no other page may frame this one. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

const refusals = {
  host: 'Wrong host: open the address that coa-distill view printed.',
  origin: 'Request from another origin: only pages of this server are answered.',
  method: 'This server is read-only; start coa-distill view with --review to review records.',
  token:
    'This address was already used, or belongs to an earlier start. Press Enter in the terminal of coa-distill view for a new one.',
};

/**
 * Checks every request. The cookie's name includes the port, since cookies ignore ports.
 *
 * @param port of the server; known once it listens
 * @param options `takesPosts`: pages may also send; default: false
 */
export function createGuard(port: () => number, { takesPosts = false } = {}): Guard {
  const tokens = new Set<string>();
  const session = randomBytes(32).toString('base64url');
  const cookieName = () => `coa_distill_view_${port()}`;
  const middleware: MiddlewareHandler = async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    const refused = refusalOf(context, port(), takesPosts);
    if (refused) return context.text(refusals[refused], refused === 'method' ? 405 : 403);
    const token = context.req.query('token');
    if (token !== undefined) {
      if (!tokens.delete(token)) return context.text(refusals.token, 403);
      setCookie(context, cookieName(), session, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return context.redirect(withoutToken(context.req.url), 303);
    }
    if (!isEqual(getCookie(context, cookieName()) ?? '', session)) return context.text(refusals.token, 403);
    await next();
    context.header('Cache-Control', context.res.headers.get('Cache-Control') ?? 'no-store');
    return undefined;
  };
  return {
    middleware,
    issueToken: () => {
      const token = randomBytes(24).toString('base64url');
      tokens.add(token);
      return token;
    },
  };
}

function refusalOf(context: Context, port: number, takesPosts: boolean): keyof typeof refusals | undefined {
  const { method } = context.req;
  const sends = method === 'POST' && takesPosts;
  if (method !== 'GET' && method !== 'HEAD' && !sends) return 'method';
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = context.req.header('host') ?? '';
  if (!hosts.includes(host)) return 'host';
  const origin = context.req.header('origin');
  // Browsers send an origin with every request that changes something.
  if ((origin !== undefined || sends) && origin !== `http://${host}`) return 'origin';
  const site = context.req.header('sec-fetch-site') ?? 'none';
  const isOpened =
    context.req.header('sec-fetch-mode') === 'navigate' &&
    context.req.header('sec-fetch-dest') === 'document';
  // Links from other sites may open a page, without the cookie; all other cross-site requests are rejected.
  return site === 'same-origin' || site === 'none' || isOpened ? undefined : 'origin';
}

function withoutToken(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete('token');
  // Two slashes would lead to another host.
  const path = pathname.replace(/^\/+/, '/');
  return searchParams.size === 0 ? path : `${path}?${searchParams}`;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
