/** A row of the profile `mhqa` without faults. */
export const cleanText =
  '<think>Plan.</think>\n<plan>1. search</plan>\n<think>Hop.</think>\n<wiki_search>Danube</wiki_search>\n<observation>\nA river, città, Дунай: Danube.\n</observation>\n\n<think>Clear.</think>\n<answer>Danube</answer>';

/** The same without the line feed before its observation. */
export const spoiltText = cleanText.replace('</wiki_search>\n', '</wiki_search>');

/** An alpaca row. */
export const alpacaRow = (output: string) => ({
  instruction: 'Answer.',
  input: 'Question: which river?',
  output,
});
