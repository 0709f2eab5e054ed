import { createHash } from 'node:crypto';

/** Most characters of a Kubernetes name that still leave room for what it puts behind. */
const MAX_CHARS = 50;

/** A job's name for schedulers: lower-case letters, digits and dashes. Names that would become alike stay apart. */
export function jobName(run: string, job: string): string {
  const plain = `${run}-${job}`;
  const name = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  if (name === plain && name.length <= MAX_CHARS) return name;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_CHARS - 9) || 'job'}-${hash}`.replace(/-+/g, '-');
}
