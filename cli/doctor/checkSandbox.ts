import { Resources } from '../../base/resources.ts';
import type { PromiseFinding } from '../../contract/sandbox.ts';
import { openSandbox } from '../../pipeline/compose/lazySandbox.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { type CodeConfig, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import type { Check } from './checks.ts';

const neededFor = 'the code tool, and judging programs';
/** What is wrong says what to do; this is the way without it. */
const howToGet = 'as it says, or tools.code.allow_unsafe: true for the bundled examples';

/**
 * Runs programs in the sandbox that the configuration asks for: one that must work, and those that try to break each
 * promise. A promise that is not kept is missing unless the configuration accepts it.
 */
export async function checkSandbox(loaded: LoadedConfig | undefined): Promise<Check[]> {
  const code = loaded?.config.tools.code ?? codeConfigSchema.parse({});
  const required = loaded?.config.tools.code !== undefined;
  const findings = code.backend === 'pyodide' ? undefined : await examine(code);
  if (findings === undefined) return [await checkThatItRuns(code, required)];
  const name = code.backend === 'auto' ? 'bubblewrap' : code.backend;
  const kept = findings.filter((finding) => finding.kept).length;
  return [
    {
      what: 'sandbox',
      ok: true,
      found: `${name}, keeps ${kept} of ${findings.length} promises`,
      neededFor,
      howToGet,
      required,
    },
    ...findings.map((finding) => promiseCheck(finding, code, required)),
  ];
}

/** Undefined where no program runs: what to say about that is `createSandbox`'s. */
async function examine(code: CodeConfig): Promise<PromiseFinding[] | undefined> {
  const { examineSandbox } = await import('../../tools/sandbox/createSandbox.ts');
  return examineSandbox(code);
}

function promiseCheck(
  { promise, kept, found }: PromiseFinding,
  { accept_weaknesses: accepted }: CodeConfig,
  required: boolean,
): Check {
  const isAccepted = accepted.includes(promise);
  return {
    what: `sandbox ${promise}`,
    ok: kept,
    found: kept || !isAccepted ? found : `${found} (accepted)`,
    neededFor: 'programs that nobody trusts',
    howToGet: `another machine or back end (docs/sandbox.md), or tools.code.accept_weaknesses: [${promise}]`,
    required: required && !isAccepted,
  };
}

async function checkThatItRuns(code: CodeConfig, required: boolean): Promise<Check> {
  const about = { what: 'sandbox', neededFor, howToGet, required };
  const resources = new Resources();
  try {
    const sandbox = await openSandbox(code, { resources, log: () => {} });
    const found = `${sandbox.name}${sandbox.isolates ? '' : ' (does not isolate: it keeps no promise)'}`;
    return { ...about, ok: true, found };
  } catch (error) {
    return { ...about, ok: false, found: (error as Error).message };
  } finally {
    await resources.closeAll();
  }
}
