/** A found passage. */
export interface RetrievedPassage {
  readonly id: string;
  /** `"Title"`, a line feed, the text. */
  readonly contents: string;
  /** Higher is better; what it measures depends on how passages are found. */
  readonly score: number;
}

/** Finds passages of a corpus, wherever it is: behind the agents' tool and behind our server of it. */
export interface PassageRetriever {
  /**
   * At most `topK` passages a query, best first.
   *
   * @throws RecordFailure `tool_unavailable` when the index or service fails, an `endpoint_*` cause when the model of
   *   the embeddings does; the signal's reason when it is aborted
   */
  retrieve(
    queries: readonly string[],
    topK: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly RetrievedPassage[])[]>;
  close(): Promise<void> | void;
}
