/** What only the encyclopedia team says. */
export const mhqaPhrases = {
  reflectThink: [
    'Let me weigh what the passages say before I go on.',
    'Time to compare the evidence with the plan.',
    'I check whether this passage really is about {subject}.',
    'Is what I have enough for the next step?',
    'A short look back, so that no error is carried along.',
    'Before moving on I make sure that the passage can be trusted.',
  ],
  reflectGood: [
    'The first passage states that {told}. It is about the right entry, and the other passages do not disagree.',
    'That {told} is said outright, so this step is done. What remains is {goal}.',
    'Consistent so far: {told}. The evidence is sufficient up to this point.',
    'The passage names {value} without any reservation. I found nothing to the contrary.',
    'This was the right article. {Told}, and the chain can go on from there.',
    'One of the passages has the needed sentence: {told}. The others concern related entries and can be left aside.',
  ],
  reflectPoor: [
    'None of the passages answers the first step. The query was too general; it must contain the exact name.',
    'These passages only share common words with my query. The evidence is not sufficient, and the plan has to begin with the name in the question.',
  ],
  replanThink: [
    'The broad query led nowhere, so I plan again from {first} on.',
    'I need a narrower plan that starts at {first}.',
  ],
  reflectEnd: [
    'All links are covered: the last passage says that {told}. Nothing is missing any more.',
    'The chain is complete and free of contradictions, since {told}.',
    'Every hop has a passage to support it. {Told}, so the question can be answered.',
  ],
  answerThink: [
    '{Told}. That answers the question.',
    'The last hop is settled, {told}, so the answer is {value}.',
    'Putting it all together, {goal} is {value}.',
    'Each hop has been confirmed by a passage. I answer {value}.',
    'I am certain now: {told}.',
    'The evidence is complete. The question asked for {goal}, and that is {value}.',
  ],
} as const;
