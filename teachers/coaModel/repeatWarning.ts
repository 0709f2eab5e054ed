/** A step, and what stood before it. */
interface Repeated {
  /** The step's text. */
  readonly text: string;
  /** The end tag of the profile's thoughts; undefined where it has none. */
  readonly thoughtEnd: string | undefined;
  /** The trajectory before the step. */
  readonly before: string;
  /** The tools of all steps before it, warned ones too. */
  readonly tools: readonly string[];
  /** Steps in a row with one tool after which a call is warned of. */
  readonly most: number;
}

/**
 * What the model is shown in place of what its call would show, by the rules of AFM's driver
 * (`inference_web_agent.py`, lines 202 and 210) and in words of our own; undefined for a call that is made.
 */
export function repeatWarning({ text, thoughtEnd, before, tools, most }: Repeated): string | undefined {
  const last = tools.slice(-most);
  if (tools.length >= most && new Set(last).size === 1)
    return `This call was not made: the ${most} steps before it all called ${last[0]}. Go on in another way.`;
  const call = (thoughtEnd === undefined ? text : text.split(thoughtEnd).at(-1)!).trim();
  if (!before.includes(call)) return undefined;
  return 'This call was not made: it stands above already. Go on in another way.';
}
