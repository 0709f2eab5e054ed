import path from 'node:path';
import { sha256Hex } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { type AddedTokens, addedTokensOf } from '../rows/addedTokens.ts';
import { type ChatMessage, compileTemplate, messageOf, type RenderMessages } from './compileTemplate.ts';
import { chatTemplatePresets, namedTokens, readTemplateFile } from './readTemplateFile.ts';

/** Text before the assistant's text. */
export interface PromptTurns {
  readonly system: string;
  readonly user: string;
}

export interface RenderedChat {
  /** Everything before the assistant's text. */
  readonly prompt: string;
  /** Text that ends the assistant's turn; part of the loss. */
  readonly endOfTurn: string;
}

/** Chat template of a model: renders system, user and assistant turns as one text. */
export interface ChatTemplate {
  /** Name of the preset, or base name of the file. */
  readonly name: string;
  readonly sha256: string;
  /**
   * Renders the turns; the assistant's text is inserted unchanged between the two results.
   *
   * @param turns - Texts with escaped added tokens, except those in a profile's instruction.
   * @param placeholders - The same turns with {@link placeholderTurns} in place of foreign text. Both renderings must
   * contain the same added tokens, otherwise text was turned into control tokens.
   * @throws RecordFailure for turns that the template rejects or renders inconsistently
   */
  render(turns: PromptTurns, placeholders: PromptTurns): RenderedChat;
  /**
   * Renders a conversation of any length as stretches of text. The stretch of an assistant turn holds everything the
   * model writes, including the end of the turn.
   *
   * @throws RecordFailure for turns that the template rejects, or renders differently once others follow
   */
  renderTurns(turns: readonly ChatMessage[]): TurnStretch[];
  /** Markup of tool calls and results; undefined if unknown. */
  readonly toolMarkup: 'qwen' | undefined;
  /** True if several user turns are rendered in the form that the model expects. */
  readonly takesSeveralTurns: boolean;
}

export interface TurnStretch {
  readonly text: string;
  /** Index of the assistant turn; undefined for the prompt and the markup between turns. */
  readonly turn: number | undefined;
}

/** Words without a special meaning for any template or tokenizer. */
export const placeholderTurns: PromptTurns = { system: 'system text', user: 'user text' };

/** Assistant text for test renderings. Starts with a thought, as rows do, since some templates remove thoughts. */
const assistantText = '<think>thought</think>\n<answer>answer text</answer>';

/**
 * Loads the configured chat template and tests it on placeholder texts.
 *
 * @throws UserError if the template does not exist, reads an undefined variable (today's date, a token's name), rejects
 * a system turn, renders a prompt that is no prefix of the whole chat, or does not fit the tokenizer
 */
export async function loadChatTemplate(
  config: Pick<DatasetConfig, 'chat_template' | 'template_variables'>,
  tokenizer: Tokenizer,
): Promise<ChatTemplate> {
  const source = await templateSource(config);
  for (const token of source.controls) tokenizer.controlId(token);
  const template = new LoadedTemplate(source, addedTokensOf(tokenizer));
  template.assertUsable(tokenizer);
  return template;
}

interface TemplateSource {
  readonly name: string;
  readonly text: string;
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly controls: readonly string[];
  readonly toolMarkup?: 'qwen' | undefined;
  readonly takesOneTurn?: true | undefined;
}

async function templateSource({
  chat_template,
  template_variables,
}: Pick<DatasetConfig, 'chat_template' | 'template_variables'>): Promise<TemplateSource> {
  const preset = chatTemplatePresets.get(chat_template);
  if (preset) return { ...preset, name: chat_template, variables: template_variables };
  const { text, tokens } = await readTemplateFile(chat_template);
  const source = {
    name: path.basename(chat_template),
    text,
    variables: { ...tokens, ...template_variables },
    controls: [],
  };
  assertTokensKnown(source);
  return source;
}

/** Jinja renders undefined names as empty text, so the first token would be missing in rows. */
function assertTokensKnown({ name, text, variables }: TemplateSource): void {
  const unknown = namedTokens.find(
    (token) => new RegExp(`\\b${token}\\b`).test(text) && !Object.hasOwn(variables, token),
  );
  if (unknown === undefined) return;
  throw new UserError(
    `dataset.chat_template: ${name} reads ${unknown}, which nothing gives: put the model's tokenizer_config.json beside it, or set dataset.template_variables.${unknown}`,
  );
}

class LoadedTemplate implements ChatTemplate {
  readonly name: string;
  readonly sha256: string;
  readonly toolMarkup: 'qwen' | undefined;
  readonly takesSeveralTurns: boolean;
  readonly #messages: RenderMessages;
  readonly #added: AddedTokens;
  /** Added tokens of placeholder renderings by turns; one entry per profile. */
  readonly #controls = new Map<string, string>();

  constructor({ name, text, variables, toolMarkup, takesOneTurn }: TemplateSource, added: AddedTokens) {
    this.name = name;
    this.toolMarkup = toolMarkup;
    this.takesSeveralTurns = takesOneTurn !== true;
    this.sha256 = sha256Hex(text);
    this.#messages = compileTemplate(name, text, variables);
    this.#added = added;
  }

  render(turns: PromptTurns, placeholders: PromptTurns): RenderedChat {
    const chat = this.#around(turns, (problem) => {
      throw new RecordFailure('internal', `the chat template ${this.name} ${problem}`);
    });
    const controls = this.#controlsOf(chat);
    const expected = this.#placeholderControls(placeholders);
    if (controls === expected) return chat;
    const message = `the chat template ${this.name} renders this prompt with other control tokens than any prompt`;
    throw new RecordFailure('internal', message, { controls, expected });
  }

  renderTurns(turns: readonly ChatMessage[]): TurnStretch[] {
    const fail = (problem: string): never => {
      throw new RecordFailure('internal', `the chat template ${this.name} ${problem}`);
    };
    const whole = this.#tried(turns, false, fail);
    const stretches: TurnStretch[] = [];
    let from = 0;
    for (const [turn, { role }] of turns.entries()) {
      if (role !== 'assistant') continue;
      const opened = this.#tried(turns.slice(0, turn), true, fail);
      const ended = this.#tried(turns.slice(0, turn + 1), false, fail);
      if (opened.length < from || !ended.startsWith(opened)) return fail(differenceOf(ended, opened));
      if (!whole.startsWith(ended)) return fail(differenceOf(whole, ended));
      stretches.push({ text: whole.slice(from, opened.length), turn: undefined });
      stretches.push({ text: whole.slice(opened.length, ended.length), turn });
      from = ended.length;
    }
    return [...stretches, { text: whole.slice(from), turn: undefined }];
  }

  /** As {@link loadChatTemplate}. */
  assertUsable(tokenizer: Tokenizer): void {
    const fail = (problem: string): never => {
      throw new UserError(`dataset.chat_template: ${this.name} ${problem}`);
    };
    const { prompt, endOfTurn } = this.#around(placeholderTurns, fail);
    if (prompt === '')
      fail("writes nothing before the assistant's text, whose first token could not be trained");
    if (!prompt.includes(placeholderTurns.user)) fail("leaves the user's text out");
    if (!prompt.includes(placeholderTurns.system)) fail('leaves the system text out, which rows have');
    const ends = this.#added.find(endOfTurn).map(({ token }) => token);
    const opening = this.#added.find(prompt).at(-1)?.token;
    if (opening !== undefined && ends.includes(opening)) {
      fail(
        `opens another turn when the assistant's is over (${JSON.stringify(endOfTurn)}), since it does not use add_generation_prompt: use the preset of its model (chatml, qwen3, llama3, mistral), or a copy that does`,
      );
    }
    if (ends.length > 0) return;
    fail(
      `ends the assistant's turn with ${JSON.stringify(endOfTurn)}, which is not a token of ${tokenizer.name}, so the model would not learn to stop: expected the template and the tokenizer (dataset.tokenizer) of one model`,
    );
  }

  /** Text that the template writes before and after the assistant's text. */
  #around(turns: PromptTurns, fail: (problem: string) => never): RenderedChat {
    const messages: ChatMessage[] = [
      { role: 'system', content: turns.system },
      { role: 'user', content: turns.user },
    ];
    const prompt = this.#tried(messages, true, fail);
    const whole = this.#tried([...messages, { role: 'assistant', content: assistantText }], false, fail);
    const expected = prompt + assistantText;
    if (whole.startsWith(expected)) return { prompt, endOfTurn: whole.slice(expected.length) };
    return fail(differenceOf(whole, expected));
  }

  #tried(messages: readonly ChatMessage[], prompt: boolean, fail: (problem: string) => never): string {
    try {
      return this.#messages(messages, prompt);
    } catch (error) {
      if (error instanceof UserError) throw error;
      const refusesSystem = this.#renders(messages.slice(1), prompt);
      return fail(
        refusesSystem
          ? `refuses a system turn (${messageOf(error)}), which every row has: expected a template with one, for instance the preset mistral, or a copy that writes it into the user's turn`
          : `fails: ${messageOf(error)}`,
      );
    }
  }

  #renders(messages: readonly ChatMessage[], prompt: boolean): boolean {
    try {
      this.#messages(messages, prompt);
      return true;
    } catch {
      return false;
    }
  }

  #placeholderControls(turns: PromptTurns): string {
    const key = JSON.stringify([turns.system, turns.user]);
    const known = this.#controls.get(key);
    if (known !== undefined) return known;
    const controls = this.#controlsOf(
      this.#around(turns, (problem) => {
        throw new RecordFailure('internal', `the chat template ${this.name} ${problem}`);
      }),
    );
    this.#controls.set(key, controls);
    return controls;
  }

  #controlsOf({ prompt, endOfTurn }: RenderedChat): string {
    return [prompt, endOfTurn]
      .map((text) =>
        this.#added
          .find(text)
          .map(({ token }) => token)
          .join(' '),
      )
      .join(' … ');
  }
}

/** Describes the first difference between a rendering and the expected text, with a remedy. */
function differenceOf(whole: string, expected: string): string {
  let at = 0;
  while (at < expected.length && whole[at] === expected[at]) at++;
  const excerpt = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 40).toWellFormed());
  return `changes the prompt or the assistant's text once the assistant has spoken: expected ${excerpt(expected)}, came ${excerpt(whole)}; use a preset (chatml, qwen3, llama3, mistral), which takes the assistant's text as it is, or a copy of the template that does`;
}
