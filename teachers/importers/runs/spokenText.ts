import type { Marks } from '../../../schemas/interchange/turnMap.ts';

/** What a model wrote in one message, its thoughts apart. */
export interface SpokenText {
  readonly thoughts: readonly string[];
  readonly text: string;
}

const think = { start: '<think>', end: '</think>' };
const answer = { start: '<answer>', end: '</answer>' };

/**
 * Takes thoughts out of a message: `<think>` blocks at its beginning, also where the chat template wrote the first start
 * mark, and the words before an `<answer>` that ends it. A text that only quotes such marks stays as it is.
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

/** A text that marks end: what stands before them and in them; undefined for any other, which may quote them. */
export function endedText(text: string, { start, end }: Marks) {
  const whole = text.trimEnd();
  const at = whole.indexOf(start);
  if (at < 0 || whole.indexOf(end) !== whole.length - end.length) return undefined;
  return { before: text.slice(0, at), inside: whole.slice(at + start.length, -end.length) };
}

const ownThought = /^\s*<think>([\s\S]*?)<\/think>/;

/**
 * Where a thought ends whose start mark the chat template wrote, and not the model: at the only end mark of a message
 * that has no start mark before it, and that stands where a thought ends: behind a sentence or at the beginning of a
 * line, or before a tag or an empty line. An end mark within a sentence is quoted.
 */
export function begunThought(text: string, { start, end }: Marks): number | undefined {
  const at = text.indexOf(end);
  if (at < 0) return undefined;
  const [before, after] = [text.slice(0, at), text.slice(at + end.length)];
  const isOnly = !before.includes(start) && !after.split(start)[0]!.includes(end);
  const isEnd = /(?:^|[\n.!?…。！？])$/.test(before) || /^(?:\s*<\w|[ \t]*\n[ \t]*\n)/.test(after);
  return isOnly && isEnd ? at : undefined;
}
