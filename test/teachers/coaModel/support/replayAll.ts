import fc from 'fast-check';
import { expect } from 'vitest';
import type { Tokenizer } from '../../../../contract/tokenizer.ts';
import { createTrajectoryPrompt } from '../../../../output/dataset/createTrajectoryPrompt.ts';
import { renderRow } from '../../../../output/dataset/renderRow.ts';
import { loadTokenizer } from '../../../../output/tokenizers/loadTokenizer.ts';
import { unescapeStructure } from '../../../../schemas/coa/escapeStructure.ts';
import { toolTags } from '../../../../schemas/coa/profile.ts';
import { builtinProfile } from '../../../../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../../../../schemas/config/dataset.ts';
import type { Trajectory } from '../../../../schemas/trajectory.ts';
import { convertTrace } from '../../../../stages/convert/createConvertStage.ts';
import { writeModelTokenizer } from '../../../output/support/modelTokenizers.ts';
import { rowSettings } from '../../../output/support/rowSettings.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../../support/trajectoryArbitrary.ts';
import { playerAt } from '../../support/player.ts';
import { startTinyServer } from '../../support/startTinyServer.ts';
import { taskOf } from '../../support/team.ts';
import { Replay, type StopManner } from './replay.ts';

/** A student's tokenizer and chat template, as `dataset` has them. */
export interface StudentOfTest {
  readonly tokenizer: string;
  readonly chat_template: string;
}

/** The students that are played again, by name. */
export const students: Readonly<Record<string, () => Promise<StudentOfTest>>> = {
  'Qwen2.5': async () => ({ tokenizer: 'qwen2.5', chat_template: 'chatml' }),
  'Llama 3': async () => ({
    tokenizer: await writeModelTokenizer(temporaryFolder(), 'llama3'),
    chat_template: 'llama3',
  }),
};

/**
 * Has random trajectories of all profiles played again against a server, and compares every prompt with the training
 * row, and the trajectory that comes of it with the first to the byte.
 */
export async function replayRandomTrajectories(student: StudentOfTest, numRuns: number): Promise<void> {
  const tokenizer = await loadTokenizer(student.tokenizer);
  const prompt = await createTrajectoryPrompt(datasetConfigSchema.parse(student));
  let replay: Replay | undefined;
  const server = await startTinyServer((request) => replay!.answer(request));
  const manners = fc.constantFrom<StopManner[]>('openai', 'vllm', 'transformers');
  try {
    await fc.assert(
      fc.asyncProperty(trajectoryArbitrary(), manners, async (trajectory, manner) => {
        const profile = builtinProfile(trajectory.profile)!;
        const row = await rowOf(trajectory, tokenizer, student);
        replay = new Replay(trajectory, profile, row, { tokenizer, manner });
        const tools = new Map(toolTags(profile).map((tag) => [tag, replay!.tool(tag)]));
        const player = playerAt(server.baseUrl, { prompt, tools, player: { server: manner } });
        const task = taskOf(profile.name, { question: unescapeStructure(trajectory.question) });
        const outcome = await player.solve(task, { signal: new AbortController().signal });
        expect(replay.wrong).toEqual([]);
        if (outcome.kind === 'failed') expect.fail(JSON.stringify(outcome.failure));
        const played = convertTrace(outcome.trace, profile, trajectory.system);
        const seen = ({ segments }: Trajectory) =>
          segments.map(({ tag, origin, text }) => ({ tag, origin, text }));
        expect(seen(played)).toEqual(seen(trajectory));
      }),
      { numRuns },
    );
  } finally {
    prompt.close();
    tokenizer.close();
  }
}

async function rowOf(trajectory: Trajectory, tokenizer: Tokenizer, { chat_template }: StudentOfTest) {
  const settings = await rowSettings(tokenizer, { chat_template });
  return renderRow(trajectory, builtinProfile(trajectory.profile)!, settings);
}
