/** What only the web team says. */
export const webPhrases = {
  crawl: [
    'The first result is the page about {subject}. I open it and read {sought} at the source.',
    'Snippets break off in the middle of sentences, so I read the whole page about {subject}.',
    'The top hit bears the right name; the page itself should state {sought}.',
    'The result list looks right. Let me open the page and find {sought}.',
    'Rather than trust the excerpt I fetch the page and look for {sought} there.',
    'There is a page devoted to {subject}, so I read that one.',
    'I follow the first link, since its title is exactly what I searched for.',
    'The article on {subject} is listed first. It should have {sought}.',
  ],
  reflectGood: [
    'The pages agree so far: {told}. The searches return the right articles at the first attempt, and the plan still fits.',
    'No page contradicts another, and each tool call brought one link of the chain. I am where the plan says I should be.',
    'What I have is consistent: {told}. I can go on without changing course.',
    'Table and text of the last page say the same, namely that {told}. The work is on track.',
    'Looking back, every step was taken from an article of its own, and none of them left room for doubt.',
    'The chain holds up to this point, since {told}. Nothing needs to be repeated.',
  ],
  reflectPoor: [
    'The results are about all sorts of things, and none of them answers the first step. A query without the name in the question is too vague; the plan must start from that name.',
    'That search was a waste: it found whatever shares a common word with my query. I have to name the entry that I want.',
    'Nothing in this list can be used. The overview that I hoped for does not exist, so I need another approach, one entry at a time.',
  ],
  replanThink: [
    'The broad approach has failed. I plan again, this time from {first} onwards.',
    'The grades call for a new plan. It has to begin with {first} and use exact names only.',
    'I drop the survey and go through the links one by one, the first being {first}.',
  ],
  suggest: [
    '{Told}, and that is what the question asks for.',
    'The last page gives it in plain words: {told}. I propose {value}.',
    'All links are in place. Since {told}, the answer should be {value}.',
    'With {told}, the chain has reached its end.',
    'I have followed every step of the plan, and {told}.',
  ],
  suggestEarly: [
    'The chain has brought me to {value}; that may already be the answer.',
    'With {value} I have a name to offer, so I put it forward.',
    'I believe that {value} is what was wanted.',
  ],
  checkHigh: [
    'I go through it again: each link was read on the page of its own subject, and the last says that {told}. Question and answer are of the same kind. It stands.',
    'Every value that I used came from a page, none from memory, and {told}. I see no gap.',
    'The answer fits what was asked, {goal}, and the way to it has no missing step.',
    'Checking backwards from {value}: each page leads to the one before it. The answer is well supported.',
    'Could another entry have the same name? The pages give no sign of it, and {told}. I am satisfied.',
  ],
  checkLowSlip: [
    '{Value} is only the step before the last. The question asks for {goal}, so this cannot be the answer.',
    'I stopped too early: {value} answers another question. What is wanted is {goal}.',
    'Comparing the suggestion with the question shows that they do not fit. {Value} has still to be turned into {goal}.',
  ],
  checkLowDoubt: [
    'It looks right, but the last link rests on one page that I read once. I want to see it confirmed before I let it pass.',
    'The value is plausible and still I have only a single sentence for it. Two is the most that I can give.',
    'I cannot rule out that I mixed up two entries of the chain. Another look at both names together is needed.',
  ],
  afterDoubtThink: [
    'The second query leads to the same page and the same statement: {told}. My doubt is gone.',
    'Searching for both names brings up the same article first, so {told} after all.',
    'Nothing in the new results speaks against it: {told}. I suggest {value} again.',
  ],
} as const;
