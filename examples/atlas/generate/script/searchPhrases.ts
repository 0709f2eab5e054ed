/** What the agents say while they search, on the web and in the encyclopedia. */
export const searchPhrases = {
  planThink: [
    'Several facts are nested in this question. I unwrap them from the inside, beginning with {first}.',
    'The chain has to begin with what the question names and move on link by link until it reaches {goal}.',
    'None of this is common knowledge, so every link needs a source. The first is {first}.',
    'To get to {goal} I must know {first} before anything else.',
    'Read backwards, the question asks for {goal}; read forwards, it begins with {first}. I go forwards.',
    'This takes {n} lookups that depend on each other, so they can only be done in order.',
    'A wrong turn early on would spoil everything after it. I want {first} settled before I go further.',
    'Let me set the order of work first: {first} comes at the start, {goal} at the end.',
  ],
  searchFirst: [
    'I start with {sought}.',
    'The question gives me a name to start from, so I search for {sought}.',
    'First of all I need {sought}; a plain query with the name should find the article.',
    'Everything hangs on {sought}. Let me look that up.',
    'The query should hold the exact name, since I want {sought} and nothing else.',
    'Step one: {sought}.',
    'I have no idea yet about {sought}, so that is where the search begins.',
  ],
  searchNext: [
    '{Told}. Next comes {sought}.',
    'Good: {told}. That leads to {sought}.',
    'Since {told}, I can now look for {sought}.',
    'So {told}, which settles one link. The following one is {sought}.',
    'The source is clear that {told}. I move on to {sought}.',
    'Now that I know that {told}, the next thing to find is {sought}.',
    '{Told}, then. What is still open is {sought}.',
    'One step further: {told}. Let me search for {sought}.',
    'That answers the previous step, because {told}. On to {sought}.',
  ],
  broadSearch: [
    'Perhaps an overview lists what I need in one place. I try a broad query before going into detail.',
    'A general query may save some steps, so I begin wide.',
    'Before naming anything I check whether there is a survey of the whole subject.',
  ],
  broadPlan: [
    'Start from a survey of {topic}, then narrow down to what the question needs.',
    '1. Look for an overview of {topic}.\n2. Pick out the entry that matters.\n3. Follow it to the answer.',
  ],
  verifySearch: [
    'I would like to see both names together once more before I commit myself.',
    'One independent look can do no harm: a query with both ends of the last link should lead to the same place.',
    'To be sure that I have not mixed up two entries, I search for the two names side by side.',
    'The last link rests on a single sentence. I check it with a differently worded query.',
  ],
} as const;

/** What a broad first query asks for, by the kind of thing that the question starts from. */
export const broadQueries: Readonly<Record<string, string>> = {
  ship: 'famous sailing ships and their builders',
  book: 'important books of the archipelago and who made them',
  lighthouse: 'old lighthouses and the people behind them',
  festival: 'traditional festivals of the islands',
  company: 'leading companies and their history',
  college: 'schools and academies of the islands',
  island: 'islands by size and history',
};
