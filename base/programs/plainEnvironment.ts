/** Variables that a program needs on a machine, none of them secret. */
const handedOn = 'PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR'.split(' ');

/** Environment for programs named in a configuration: `PATH`, `HOME` and similar. */
export function plainEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(handedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
