import type { Backend } from './openBackend.ts';

/** How back ends say that the kernel lets this user make no namespaces, or lets root become none of its others. */
const NO_NAMESPACES = /namespace|uid map|as user \d|clone\(/i;
const NO_PYTHON = /python3: not found/;

/** What a user can do where no program runs in a back end, by what it said. */
export function remedyFor(problem: string, backend: Backend): string {
  if (NO_PYTHON.test(problem)) return 'install python3 (Debian, Ubuntu: apt-get install -y python3)';
  if (NO_NAMESPACES.test(problem))
    return 'run as an ordinary user who may make user namespaces (see "Back ends" in docs/sandbox.md)';
  return backend.howToGet;
}
