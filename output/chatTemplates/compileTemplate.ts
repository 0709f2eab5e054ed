import { Environment, Interpreter, Template } from '@huggingface/jinja';
import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Renders messages; throws the template's exceptions, or `UserError` if it reads the clock. */
export type RenderMessages = (messages: readonly ChatMessage[], addGenerationPrompt: boolean) => string;

/** Maximum iterations of all loops in one chat; higher than any real template needs. */
const MAX_NUMBERS = 100_000;

/**
 * Compiles a Jinja template, which only sees the messages, the variables and the functions of Hugging Face's templates:
 * no files, no clock, and bounded loops.
 *
 * @throws UserError for invalid Jinja
 */
export function compileTemplate(
  name: string,
  text: string,
  variables: Readonly<Record<string, JsonValue>>,
): RenderMessages {
  const program = parseTemplate(name, text);
  return (messages, addGenerationPrompt) => {
    const environment = new Environment();
    const chat = { messages, add_generation_prompt: addGenerationPrompt };
    const seen = { ...variables, ...templateGlobals(name, variables), ...chat };
    for (const [key, value] of Object.entries(seen)) environment.set(key, value);
    return String(new Interpreter(environment).run(program).value);
  };
}

function parseTemplate(name: string, text: string): Template['parsed'] {
  try {
    return new Template(text).parsed;
  } catch (cause) {
    throw new UserError(`dataset.chat_template: ${name} is not a Jinja template: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Globals of Hugging Face's `apply_chat_template`, with the configured date. */
function templateGlobals(name: string, { date_string }: Readonly<Record<string, JsonValue>>) {
  return {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    raise_exception: (message: unknown) => {
      throw new Error(String(message));
    },
    range: boundedRange(),
    strftime_now: () => {
      if (typeof date_string === 'string') return date_string;
      throw new UserError(
        `dataset.chat_template: ${name} writes today's date, which would change the dataset from day to day: set dataset.template_variables.date_string to the date that rows shall have, for instance "26 Jul 2024"`,
      );
    },
  };
}

/** Python's `range` with a limit on all numbers of one chat. */
function boundedRange(): (...args: unknown[]) => number[] {
  let given = 0;
  return (...args) => {
    const numbers = args.filter((arg) => typeof arg === 'number');
    const [start, stop, step] =
      numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 1];
    const length = Math.max(0, Math.ceil((stop - start) / step));
    given += length;
    if (!(given <= MAX_NUMBERS)) throw new Error(`range() of ${given} numbers`);
    return Array.from({ length }, (_, at) => start + at * step);
  };
}

export function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replaceAll('\n', ' ');
}
