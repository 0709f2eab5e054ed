/**
 * All words that conversion itself puts into model segments. They stand in thinking blocks, where a profile wants
 * thinking before a tool call and the agent thought once for several calls.
 */
export const connectives = {
  /** Before a call that its agent asked for in the same answer as the one before it. */
  parallel: 'This goes together with the step before: both were decided at once.',
  /** Before a call that was made again because the one before it failed, without new thinking. */
  retry: 'The call before this one failed, so it is tried again.',
} as const;
