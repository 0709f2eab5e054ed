import { sum } from '../../base/sum.ts';
import { synthesisModel } from '../../schemas/config/resolved/sectionModel.ts';
import {
  type SynthesisRole,
  type SynthesizeConfig,
  synthesisRoles,
} from '../../schemas/config/synthesize.ts';
import { CHECK_VOTES } from '../../stages/synthesis/askAbout.ts';
import { MAX_UNREAD_FACTS } from '../../stages/synthesis/createCheckStage.ts';
import { createDocumentSource } from '../../stages/synthesis/createDocumentSource.ts';
import { MAX_GROW_STEPS } from '../../stages/synthesis/grow/nextStep.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { usualCost } from '../planCalls.ts';
import { type ReadPage, readCorpus } from './readCorpus.ts';

/** The most that a synthesis may ask. */
export interface SynthesisPlan {
  readonly documents: number;
  readonly roles: readonly {
    readonly role: SynthesisRole;
    readonly model: string;
    readonly most_calls: number;
    readonly cost_usd: number | null;
  }[];
  readonly calls: number;
  /** Null where no price is known. */
  readonly cost_usd: number | null;
}

/** Reads the documents, counts each page of a list as one without opening it, and counts the most calls that they can lead to. Asks nobody, and writes nothing. */
export async function planSynthesis(loaded: LoadedConfig, signal: AbortSignal): Promise<SynthesisPlan> {
  const { config } = loaded;
  const settings = config.synthesize!;
  const unread: ReadPage = async (address) => ({ address, text: address });
  const source = createDocumentSource((given) => readCorpus(loaded, unread, given), settings.seeds.limit);
  let documents = 0;
  for await (const { outcome } of source.run({ signal })) if (outcome.kind === 'emit') documents++;
  const most = mostCalls(settings, documents);
  const roles = synthesisRoles.map((role) => {
    const { model, endpoint } = synthesisModel(config, role);
    const most_calls = most[role];
    const cost_usd = settings.backend === 'embedded' ? 0 : usualCost('judge', most_calls, endpoint.price);
    return { role, model, most_calls, cost_usd };
  });
  const costs = roles.map(({ cost_usd }) => cost_usd);
  return {
    documents,
    roles,
    calls: sum(roles.map(({ most_calls }) => most_calls)),
    cost_usd: costs.every((cost) => cost !== null) ? sum(costs) : null,
  };
}

/** Tool calls of a try, each asked for by a call of the solver, and its answer. */
const CALLS_OF_A_TRY = 21;

/** The most calls that documents lead to: all facts become candidates, as many as are wanted, and none is dropped early. */
function mostCalls(
  { seeds, grow, check }: SynthesizeConfig,
  documents: number,
): Record<SynthesisRole, number> {
  const candidates = Math.min(documents * seeds.per_document, seeds.candidates ?? Number.POSITIVE_INFINITY);
  const { tools, closed_book, evidence, ablation, read_back, unread_facts } = check;
  const withTools = (tools?.tries ?? 0) * CALLS_OF_A_TRY;
  const untilFails = grow.until === 'solver_fails' ? MAX_GROW_STEPS * withTools : 0;
  const ablations = ablation ? grow.hops.max : 0;
  const unread = unread_facts ? MAX_UNREAD_FACTS : 0;
  return {
    propose: documents,
    link: candidates * MAX_GROW_STEPS,
    write: candidates * (grow.until === 'solver_fails' ? MAX_GROW_STEPS : 1),
    check: candidates * CHECK_VOTES * ((read_back ? 1 : 0) + (tools?.tries ?? 0)),
    solve: candidates * (closed_book.tries + evidence.tries + ablations + unread + withTools + untilFails),
  };
}
