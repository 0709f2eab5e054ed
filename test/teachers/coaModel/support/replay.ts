import { expect } from 'vitest';
import type { JsonObject } from '../../../../base/json.ts';
import type { Tokenizer } from '../../../../contract/tokenizer.ts';
import type { Tool } from '../../../../contract/tool.ts';
import type { DatasetRow } from '../../../../output/dataset/datasetFormat.ts';
import { unescapeStructure } from '../../../../schemas/coa/escapeStructure.ts';
import { stopTagsOf } from '../../../../schemas/coa/play/readStep.ts';
import type { Profile } from '../../../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../../../schemas/coa/profileRegistry.ts';
import type { Segment, Trajectory } from '../../../../schemas/trajectory.ts';
import { goesOn } from '../../support/player.ts';
import type { TinyAnswer, TinyRequest } from '../../support/startTinyServer.ts';

/** How servers answer when a step stops. */
export type StopManner = 'openai' | 'vllm' | 'transformers';

/** A trajectory cut at its observations: what the model writes, and what tools show in between. */
interface ReplayStep {
  /** Segments before it. */
  readonly before: number;
  readonly text: string;
}

function stepsOf(segments: readonly Segment[]): ReplayStep[] {
  const steps: ReplayStep[] = [];
  for (const [at, { origin, text }] of segments.entries()) {
    if (origin === 'environment') continue;
    const last = steps.at(-1);
    if (last && segments[at - 1]?.origin === 'model')
      steps[steps.length - 1] = { ...last, text: last.text + text };
    else steps.push({ before: at, text });
  }
  return steps;
}

/** A student that wrote a trajectory before and writes it again, and the tools that show what they showed. */
export class Replay {
  /** Prompts that were not what the training row begins with. */
  readonly wrong: string[] = [];
  asked = 0;
  readonly #row: DatasetRow;
  readonly #tokenizer: Tokenizer;
  readonly #manner: StopManner;
  readonly #stops: readonly string[];
  readonly #steps: readonly ReplayStep[];
  readonly #shown: string[];

  constructor(
    trajectory: Trajectory,
    profile: Profile,
    row: DatasetRow,
    { tokenizer, manner }: { readonly tokenizer: Tokenizer; readonly manner: StopManner },
  ) {
    this.#row = row;
    this.#tokenizer = tokenizer;
    this.#manner = manner;
    this.#stops = stopTagsOf(profile).map((tag) => `</${tag}>`);
    this.#steps = stepsOf(trajectory.segments);
    this.#shown = trajectory.segments
      .filter(({ origin }) => origin === 'environment')
      .map(({ text }) =>
        unescapeStructure(
          text.slice('<observation>\n'.length, -'\n</observation>\n\n'.length),
          structuralTagsOf(profile),
        ),
      );
  }

  /** Answers a request; the prompt is compared with the training row. */
  async answer({ body }: TinyRequest): Promise<TinyAnswer> {
    const step = this.#steps[this.asked++];
    if (!step) return { status: 500, body: 'asked too often' };
    const ids = await this.#check(body.prompt as string | readonly number[], step.before);
    expect(body.stop).toEqual(this.#stops);
    return goesOn(...this.#said(step.text), ids);
  }

  /** The tool of a tag. */
  tool(name: string): Tool {
    return {
      name,
      definition: { name, description: '', parameters: {} },
      parseInput: (input) => ({ ok: true, input: input as JsonObject }),
      call: async () => ({ observation: this.#shown.shift()!, raw: null }),
    };
  }

  /** Ids of the training row up to a segment. */
  async #check(prompt: string | readonly number[], before: number): Promise<number> {
    const { pieces, rendered, inputIds } = this.#row;
    const asked = pieces.filter(({ origin }) => origin === 'prompt').map(({ text }) => text);
    const written = rendered.segments.slice(0, before).map(({ text }) => text);
    const trained = [...asked, ...written].join('');
    if (typeof prompt === 'string') {
      if (prompt !== trained) this.wrong.push(`${this.asked}: ${JSON.stringify(prompt.slice(-80))}`);
      return 0;
    }
    const isWhole = (await this.#tokenizer.decode(Uint32Array.from(prompt))) === trained;
    const begins = isWhole && prompt.every((id, at) => id === inputIds[at]);
    if (!begins) this.wrong.push(`${this.asked}: other ids than the row's first ${prompt.length}`);
    return prompt.length;
  }

  #said(text: string): [string, JsonObject] {
    const whole = text.trimEnd();
    const stop = this.#stops.find((end) => whole.endsWith(end))!;
    if (this.#manner === 'openai') return [whole.slice(0, -stop.length), {}];
    return [text, this.#manner === 'vllm' ? { stop_reason: stop } : {}];
  }
}
