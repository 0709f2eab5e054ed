import type { Marks } from '../../../schemas/interchange/turnMap.ts';

/** Text of one model message with its thoughts separated. */
export interface SpokenText {
  readonly thoughts: readonly string[];
  readonly text: string;
}

const think = { start: '<think>', end: '</think>' };
const answer = { start: '<answer>', end: '</answer>' };

/**
 * Separates thoughts from a message: leading `<think>` blocks, also if the chat template wrote the first start mark,
 * and the text before a final `<answer>`. A text that only quotes such marks is unchanged.
 */
export function spokenText(message: string): SpokenText {
  const begun = begunThought(message, think);
  const thoughts = begun === undefined ? [] : [message.slice(0, begun)];
  let text = begun === undefined ? message : message.slice(begun + think.end.length);
  for (let own = ownThought.exec(text); own && !own[1]!.includes(think.start); own = ownThought.exec(text)) {
    thoughts.push(own[1]!);
    text = text.slice(own[0].length);
  }
  const ended = endedText(text, answer);
  if (!ended) return { thoughts, text };
  return { thoughts: [...thoughts, ended.before], text: text.slice(ended.before.length) };
}

/**
 * Splits a text that ends with marks into the text before and inside them; undefined for others, which may quote
 * them.
 */
export function endedText(text: string, { start, end }: Marks) {
  const whole = text.trimEnd();
  const at = whole.indexOf(start);
  if (at < 0 || whole.indexOf(end) !== whole.length - end.length) return undefined;
  return { before: text.slice(0, at), inside: whole.slice(at + start.length, -end.length) };
}

const ownThought = /^\s*<think>([\s\S]*?)<\/think>/;

/**
 * End of a thought whose start mark was written by the chat template: the only end mark of a message, without a start
 * mark before it, after a sentence, at a line start, or before a tag or an empty line. An end mark within a sentence
 * is a quote.
 */
export function begunThought(text: string, { start, end }: Marks): number | undefined {
  const at = text.indexOf(end);
  if (at < 0) return undefined;
  const [before, after] = [text.slice(0, at), text.slice(at + end.length)];
  const isOnly = !before.includes(start) && !after.split(start)[0]!.includes(end);
  const isEnd = /(?:^|[\n.!?…。！？])$/.test(before) || /^(?:\s*<\w|[ \t]*\n[ \t]*\n)/.test(after);
  return isOnly && isEnd ? at : undefined;
}
