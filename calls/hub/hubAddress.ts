import { UserError } from '../../base/userError.ts';

/** Parsed Hugging Face address: a repository, a revision and files. */
export interface HubAddress {
  readonly type: 'dataset' | 'model';
  /** `OWNER/NAME`. */
  readonly name: string;
  /** Branch, tag or commit; default: `main`. */
  readonly revision: string;
  /** A file, a folder or a pattern such as `data/*.parquet`; undefined for all files. */
  readonly path: string | undefined;
}

/** Prefix of an address. */
export const HUB_PREFIX = 'hf:';

const FORM = 'hf:[models/]OWNER/NAME[@REVISION][/PATH]';
/** Git's rules for names, without ways out of a folder. */
const REVISION = /^(?!.*\.\.)(?!.*\/\/)[\w][\w./+-]*(?<![./])$/;
const PART = /^(?!.*(?:\.\.|--))[A-Za-z0-9][\w.-]{0,95}$/;

/**
 * Parses `hf:PersonalAILab/AFM-WebAgent-SFT-Dataset@main/data/*.parquet`. A `/` in a revision is written `%2F`.
 * @throws UserError when the text is not such an address
 */
export function parseHubAddress(text: string): HubAddress {
  const refuse = (why: string) =>
    new UserError(
      `${text}: ${why}; expected ${FORM}, for instance hf:PersonalAILab/AFM-WebAgent-SFT-Dataset`,
    );
  if (!text.startsWith(HUB_PREFIX)) throw refuse(`it does not start with ${HUB_PREFIX}`);
  const parts = text.slice(HUB_PREFIX.length).split('/');
  const type = parts[0] === 'models' ? 'model' : 'dataset';
  if (parts[0] === 'models' || parts[0] === 'datasets') parts.shift();
  const [owner = '', nameAndRevision = '', ...rest] = parts;
  const [name = '', revision = 'main', ...more] = nameAndRevision.split('@');
  if (!PART.test(owner) || !PART.test(name))
    throw refuse('owner and name of the repository are missing or not allowed');
  const path = rest.join('/').replace(/\/+$/, '');
  if (rest.some((part) => part === '..')) throw refuse('".." is not allowed in a path');
  const plainRevision = more.length > 0 ? '' : decoded(revision, refuse);
  if (!REVISION.test(plainRevision))
    throw refuse('the revision behind @ is not the name of a branch, tag or commit');
  return { type, name: `${owner}/${name}`, revision: plainRevision, path: path || undefined };
}

/** Formats an address with a resolved revision. */
export function hubAddressText({ type, name, path }: HubAddress, revision: string): string {
  const repository = `${type === 'model' ? 'models/' : ''}${name}@${encodeURIComponent(revision)}`;
  return `${HUB_PREFIX}${repository}${path === undefined ? '' : `/${path}`}`;
}

function decoded(revision: string, refuse: (why: string) => UserError): string {
  try {
    return decodeURIComponent(revision);
  } catch {
    throw refuse('the revision is not well percent-encoded');
  }
}
