import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { isRetriedStatus, parseRetryAfterMs } from '../../contract/retryPolicy.ts';
import type { Redactor } from '../../schemas/createRedactor.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';

/** Attributed fault of one attempt. */
export interface EndpointFault {
  readonly cause: FailureCause;
  readonly message: string;
  readonly evidence: JsonObject;
  /** True if a retry may succeed. */
  readonly retried: boolean;
  readonly retryAfterMs: number | undefined;
  /** True if the endpoint is temporarily overloaded. */
  readonly isOverload: boolean;
  /** True if only this key or account is refused: another member of a pool may be accepted. */
  readonly isOfMember: boolean;
}

/** Thrown for an answer with status 200 that is unusable: an empty body, a page of HTML, broken JSON. */
export class UnusableBody extends Error {
  override readonly name = 'UnusableBody';
  /** True if a retry may give a usable one. */
  readonly retried: boolean;

  constructor(message: string, { retried = true } = {}) {
    super(message);
    this.retried = retried;
  }
}

/** Headers of an error answer. */
interface RefusalHeaders {
  /** Requested wait. */
  readonly retryAfter?: string | undefined;
  /** Target of a redirect; not followed, since it would carry the key elsewhere. */
  readonly location?: string | undefined;
  readonly address?: string | undefined;
}

/** Thrown for an answer with an error status. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly code: JsonValue;
  /** `Retry-After` header. */
  readonly retryAfter: string | undefined;
  readonly address: string | undefined;

  constructor(status: number, body: string, { retryAfter, location, address }: RefusalHeaders = {}) {
    const json = safeParseJson(body);
    // Some servers send the error object itself.
    const error = json.ok && isJsonObject(json.value) ? (json.value.error ?? json.value) : undefined;
    const elsewhere =
      location === undefined
        ? ''
        : `: it sends requests on to ${addressWithoutSecrets(location)}; set base_url to where it ends`;
    super(`${status} ${wordsOf(error) || body || 'status code (no body)'}${elsewhere}`);
    this.status = status;
    this.code = isJsonObject(error) ? (error.code ?? null) : null;
    this.retryAfter = retryAfter;
    this.address = address;
  }
}

/** Readable refusal: the text of a page, and the address if nothing answers there. */
function shownRefusal(error: RefusedRequest | ErrorInAnswer, status: number): string {
  if (!(error instanceof RefusedRequest)) return error.message;
  const body = error.message.slice(`${status} `.length);
  const at = status === 404 || status === 405 ? sentTo(error.address) : '';
  return `${status} ${pageWords(body) || body}${at}`;
}

/** Address of a request, with the usual mistake in such an address. */
function sentTo(address = ''): string {
  if (address === '') return '';
  const plain = addressWithoutSecrets(address);
  const { pathname } = new URL(address);
  const advice = /(\/[a-z/]*completions|\/embeddings)\1$/.test(pathname)
    ? `; leave the path of requests out of base_url`
    : /\/v\d/.test(pathname)
      ? ''
      : '; the base_url of most servers ends in /v1';
  return ` (POST ${plain}${advice})`;
}

/** Text of an HTML page from a proxy or a login; empty for other text. */
export function pageWords(body: string): string {
  if (!/^\s*<(?:!doctype|html)/i.test(body)) return '';
  const words = body
    .slice(0, 10_000)
    .replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ');
  return `an HTML page: ${words.trim()}`;
}

/** Message of an error in OpenAI's shape or a similar one. */
function wordsOf(error: JsonValue | undefined): string {
  const message = isJsonObject(error) ? error.message || error : error;
  if (!message) return '';
  return isJsonObject(error) && typeof message === 'string' ? message : JSON.stringify(message);
}

/** Thrown for a body of status 200 with the provider's error, as gateways send. */
export class ErrorInAnswer extends Error {
  override readonly name = 'ErrorInAnswer';
  /** Equivalent HTTP status: the code, or derived from the words of code and type. */
  readonly status: number;
  readonly code: JsonValue;

  constructor(error: JsonValue) {
    const { message, code = null, type = null } = isJsonObject(error) ? error : { message: error };
    const words =
      typeof message === 'string' && message.trim() !== '' ? `: ${message}` : ' that has no message';
    const named = typeof code === 'string' || typeof code === 'number' ? `code ${code}` : type;
    super(`200 with an error${words}${typeof named === 'string' ? ` (${named})` : ''}`);
    this.code = code;
    this.status = statusOf(code) ?? statusOf(type) ?? 500;
  }
}

/** Textual codes and types by their HTTP status. */
const statusesInWords: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|too.?many|quota/i, 429],
  [/overloaded|unavailable/i, 503],
  [/time.?out/i, 504],
  [/api.?key|auth|permission/i, 401],
  [/not.?found/i, 404],
  [/invalid|bad.?request|context.?length|unsupported/i, 400],
];

function statusOf(named: JsonValue): number | undefined {
  const status = Number(named);
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  return typeof named === 'string' ? statusesInWords.find(([words]) => words.test(named))?.[1] : undefined;
}

/** 429, and statuses of servers at capacity: 503, and 529 (Anthropic). */
const overloadStatuses: ReadonlySet<number> = new Set([429, 503, 529]);

/** A wrong or missing key, an empty account, a key without permission. */
const memberStatuses: ReadonlySet<number> = new Set([401, 402, 403]);

const contextTooLong =
  /context[_ ](?:length|window|size)|maximum context|prompt is too long|too many tokens|reduce the length/i;

/** Wording of validators for an invalid request; some servers send it with 500 (llama-cpp-python). */
const validationError =
  /validation errors?\b|\bliteral_error\b|\bextra_forbidden\b|unsupported (?:parameter|value)/i;

/** Codes of failed connections: the endpoint never saw the request. */
const noConnection = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Messages of OpenSSL and Node for untrusted certificates, and of servers without TLS. */
const untrusted =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/;

/** Timeout codes of the system, and of undici for a connection. */
const outOfTime = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Attributes an error of one attempt.
 * @param timedOut - True when our own limit for the attempt had passed.
 * @param nowMs - Milliseconds since 1970, for a `Retry-After` date.
 */
export function endpointFault(error: unknown, timedOut: boolean, nowMs: number): EndpointFault {
  const code = networkCode(error);
  if (timedOut || (code !== undefined && outOfTime.has(code))) {
    return transient('endpoint_timeout', 'the endpoint gave no answer in time');
  }
  const unusable = causes(error).find((cause) => cause instanceof UnusableBody);
  if (unusable) return { ...transient('endpoint_error', unusable.message), retried: unusable.retried };
  const inside = causes(error).find((cause) => cause instanceof ErrorInAnswer);
  if (inside) {
    const fault = statusFault(inside, inside.status, nowMs);
    return { ...fault, evidence: { ...fault.evidence, status: 200 } };
  }
  if (error instanceof RefusedRequest) return statusFault(error, error.status, nowMs);
  if (code !== undefined && noConnection.has(code)) {
    return transient('endpoint_refused', `no connection to the model endpoint (${code})`, { code });
  }
  if (code !== undefined && untrusted.test(code)) {
    const why = causes(error).at(-1)!.message;
    const message = `no secure connection to the model endpoint: ${why} (${code}); for a certificate of your own set NODE_EXTRA_CA_CERTS, for an endpoint without TLS write http:// in base_url`;
    return { ...transient('endpoint_refused', message, { code }), retried: false };
  }
  return transient(
    'endpoint_error',
    `the connection broke before the answer was whole${code ? ` (${code})` : ''}`,
    code ? { code } : {},
  );
}

function transient(cause: FailureCause, message: string, evidence: JsonObject = {}): EndpointFault {
  return {
    cause,
    message,
    evidence,
    retried: true,
    retryAfterMs: undefined,
    isOverload: false,
    isOfMember: false,
  };
}

function statusFault(error: RefusedRequest | ErrorInAnswer, status: number, nowMs: number): EndpointFault {
  const { code } = error;
  const isTooLong =
    status === 413 || code === 'context_length_exceeded' || contextTooLong.test(error.message);
  const invalid =
    !isTooLong &&
    (status === 400 || status === 422 || (status === 500 && validationError.test(error.message)));
  const named = typeof code === 'string' || Number.isSafeInteger(code);
  const evidence = { status, ...(named ? { code } : {}), ...(invalid ? { request_invalid: true } : {}) };
  const message = `the endpoint answered ${shownRefusal(error, status)}`;
  const final = {
    message,
    evidence,
    retried: false,
    retryAfterMs: undefined,
    isOverload: false,
    isOfMember: memberStatuses.has(status),
  };
  if (isTooLong) return { ...final, cause: 'context_exceeded' };
  // OpenAI also sends 429 for an empty account: waiting does not help.
  if (code === 'insufficient_quota') {
    return { ...final, cause: 'endpoint_rate_limited', isOfMember: true };
  }
  if (invalid || !isRetriedStatus(status)) return { ...final, cause: 'endpoint_rejected' };
  return {
    ...final,
    cause: retriedCause(status),
    retried: true,
    isOverload: overloadStatuses.has(status),
    retryAfterMs: error instanceof RefusedRequest ? parseRetryAfterMs(error.retryAfter, nowMs) : undefined,
  };
}

function retriedCause(status: number): FailureCause {
  if (status === 429) return 'endpoint_rate_limited';
  return status === 408 || status === 504 ? 'endpoint_timeout' : 'endpoint_error';
}

/** The system's or undici's error code, wherever in the chain of causes it stands. */
function networkCode(error: unknown): string | undefined {
  for (const link of causes(error)) {
    if ('code' in link && typeof link.code === 'string') return link.code;
    if (link instanceof AggregateError) return networkCode(link.errors[0]);
  }
  return undefined;
}

/** An error and its causes, to a bounded depth. */
function causes(error: unknown): Error[] {
  const links: Error[] = [];
  for (let link = error; link instanceof Error && links.length < 6; link = link.cause) links.push(link);
  return links;
}

/** Maximum message length in the ledger; endpoints answer with whole pages. */
const MAX_MESSAGE_CHARS = 500;
/** Maximum length of an error code in the ledger. */
const MAX_CODE_CHARS = 100;

/** True if the endpoint rejected the form of a request, so that another form may succeed. */
export function isInvalidRequest(error: unknown): boolean {
  return error instanceof RecordFailure && error.failure.evidence.request_invalid === true;
}

/** Failure of a record after its last attempt. The key is redacted before truncation. */
export function faultFailure(fault: EndpointFault, attempts: number, redactor: Redactor): RecordFailure {
  const safe = (text: string, maxChars: number) =>
    redactor.text(text.replace(/\s+/g, ' ').trim()).slice(0, maxChars).toWellFormed();
  const { code } = fault.evidence;
  const safeCode = typeof code === 'string' ? { code: safe(code, MAX_CODE_CHARS) } : {};
  const message = safe(fault.message, MAX_MESSAGE_CHARS);
  return new RecordFailure(fault.cause, message, { ...fault.evidence, ...safeCode, attempts });
}
