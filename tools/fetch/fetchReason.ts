import { UnreadableCoding } from './contentCodings.ts';
import { ForbiddenAddress, ForbiddenPort } from './createGuardedDispatcher.ts';

/** What a failed request is said to be. `service`: the connection or the server failed. */
interface FetchReason {
  readonly reason: string;
  readonly service: boolean;
}

/** How every reason begins that is about time. */
export const TIMED_OUT = 'timed out';

const byCode: Readonly<Record<string, FetchReason>> = {
  ENOTFOUND: { reason: 'unknown host', service: false },
  EAI_AGAIN: { reason: 'unknown host', service: false },
  UND_ERR_HEADERS_OVERFLOW: { reason: "its answer's headers are too large", service: true },
  HPE_HEADER_OVERFLOW: { reason: "its answer's headers are too large", service: true },
  UND_ERR_HEADERS_TIMEOUT: { reason: `${TIMED_OUT}: the server does not answer`, service: true },
  UND_ERR_BODY_TIMEOUT: { reason: `${TIMED_OUT}: the server stopped sending`, service: true },
  UND_ERR_CONNECT_TIMEOUT: { reason: `${TIMED_OUT}: the server can not be reached`, service: true },
  CERT_HAS_EXPIRED: { reason: 'its TLS certificate is not valid', service: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'its TLS certificate is not valid', service: true },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'its TLS certificate is not valid', service: true },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: 'its TLS certificate is not valid', service: true },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: 'its TLS certificate is not valid', service: true },
};

/** Words without addresses and ports: equal on every machine. */
export function reasonOf(error: Error): FetchReason {
  if (error instanceof ForbiddenAddress) return { reason: 'its host has no public address', service: false };
  if (error instanceof ForbiddenPort) return { reason: 'its port is not one of web sites', service: false };
  if (error instanceof UnreadableCoding) return { reason: error.message, service: true };
  if (error.name === 'TimeoutError') return { reason: TIMED_OUT, service: true };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return Object.hasOwn(byCode, code) ? byCode[code]! : { reason: 'connection failed', service: true };
}
