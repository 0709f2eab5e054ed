import type { JsonObject } from '../../../base/json.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { ScriptEntry, ScriptStep } from '../../../schemas/teacherScript.ts';
import { extractValues, fillTemplate } from '../../../teachers/scripted/playStep.ts';

/** What came of a solution that was played on real tools. */
export interface PlayedSolution {
  /** Inputs as the tools got them. */
  readonly inputs: readonly JsonObject[];
  /** The last answer that was given. */
  readonly answer: string;
}

/** Plays a solution's tool calls, filling in what earlier ones showed, as the scripted teacher does. */
export async function playSolution(
  entry: ScriptEntry,
  tools: ReadonlyMap<string, Tool>,
): Promise<PlayedSolution> {
  const observations: string[] = [];
  const inputs: JsonObject[] = [];
  const steps: ScriptStep[] = [];
  for (const [at, template] of entry.steps.entries()) {
    const step = fillTemplate(template, extractValues(entry, at, observations)) as unknown as ScriptStep;
    steps.push(step);
    if (step.action !== 'tool') continue;
    const tool = tools.get(step.tool);
    const parsed = tool?.parseInput(step.input);
    if (!tool || !parsed?.ok) {
      throw new Error(`${step.tool} does not take ${JSON.stringify(step.input)}: ${JSON.stringify(parsed)}`);
    }
    inputs.push(parsed.input);
    observations.push((await tool.call(parsed.input, new AbortController().signal)).observation);
  }
  return { inputs, answer: lastAnswer(steps) };
}

function lastAnswer(steps: readonly ScriptStep[]): string {
  const given = steps.flatMap((step) =>
    step.action === 'answer' || step.action === 'suggested_answer' ? [step.answer] : [],
  );
  return given.at(-1) ?? '';
}
