import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import type { SynthesisRoles } from '../../contract/synthesis.ts';
import type { SynthesizeConfig } from '../../schemas/config/synthesize.ts';
import { type Candidate, candidateSchema } from '../../schemas/synthesis/candidate.ts';
import type { Task } from '../../schemas/task.ts';
import type { Corpus } from './corpus.ts';

interface GrowOptions {
  readonly openRoles: () => Promise<SynthesisRoles>;
  readonly openCorpus: () => Promise<Corpus>;
  /** Whether an answer is right. Throws `RecordFailure` where there is no verdict. */
  readonly judge: (
    task: Pick<Task, 'question' | 'answers'>,
    answer: string,
    context: { readonly taskId: string; readonly signal: AbortSignal },
  ) => Promise<boolean>;
  readonly config: SynthesizeConfig;
  readonly seed: number;
  /** Candidates worked on at once. */
  readonly concurrency: number;
}

export function createGrowStage({
  openRoles,
  openCorpus,
  concurrency,
}: GrowOptions): RecordStage<Candidate, Candidate> {
  return {
    name: 'grow',
    version: 1,
    input: candidateSchema,
    output: candidateSchema,
    concurrency,
    async prepare() {
      await openRoles();
      await openCorpus();
    },
    run: async (candidate) => emitRecord(candidate),
  };
}
