/** What a model wrote in one message, its thoughts apart. */
export interface SpokenText {
  readonly thoughts: readonly string[];
  readonly text: string;
}

/**
 * Takes thoughts out of a message: `<think>` blocks at its beginning, also where the chat template wrote the first start
 * mark, and the words before an `<answer>` that ends it. A text that only quotes such marks stays as it is.
 */
export function spokenText(message: string): SpokenText {
  const thoughts: string[] = [];
  let text = message;
  for (let end = text.indexOf('</think>'); end >= 0; end = text.indexOf('</think>')) {
    const before = text.slice(0, end).trimStart();
    const isOwn = before.startsWith('<think>');
    const thought = isOwn ? before.slice('<think>'.length) : before;
    if (thought.includes('<think>') || (!isOwn && thoughts.length > 0)) break;
    thoughts.push(thought);
    text = text.slice(end + '</think>'.length);
  }
  const whole = text.trimEnd();
  const start = whole.indexOf('<answer>');
  if (start < 0 || whole.indexOf('</answer>') !== whole.length - '</answer>'.length)
    return { thoughts, text };
  return { thoughts: [...thoughts, text.slice(0, start)], text: text.slice(start) };
}
