/** What a program needs to find its way on a machine, and nothing that is secret. */
const handedOn = 'PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR'.split(' ');

/** The part of an environment that every program is given that a configuration names: `PATH`, `HOME` and the like. */
export function plainEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(handedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
