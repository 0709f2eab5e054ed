/** Sentences without facts that anyone asks for, on companies. */
export const companyColour: readonly string[] = [
  'Its first order book, bound in sailcloth, lies in a glass case by the entrance.',
  'Wages were paid in coin and coal for the first {n} years, and older neighbours still speak well of it.',
  'A fire destroyed the original sheds one {month}, and the staff rebuilt them without missing a delivery.',
  'The company brass band has {n} players and a waiting list.',
  'Apprentices are taken on in pairs, on the theory that two can ask what one would not.',
  'It opened a branch in {town2}, which was closed again after a quarrel over the colour of the door.',
  'The trade mark, a wave under a star, was drawn by a clerk on the back of an envelope.',
  'Customers on {island2} are served first, in memory of a loan that saved the firm.',
  'It shares its profits with the workforce every {month}, an arrangement copied by few competitors.',
  'Visitors may watch the work from a gallery, provided they do not give advice.',
  'The ledgers show {n} bad years, each marked in the margin with a small drawing of a cloud.',
  'For a time it printed its own tokens, which shops all over the isles took as money.',
  'A dog has been listed among the night watch for {n} generations of dogs.',
];

/** The same for ships. */
export const shipColour: readonly string[] = [
  'Her figurehead, a woman with a lantern, was carved from a single trunk of driftwood.',
  'She carried mail, sheep and once a piano, which was played all the way to {town2}.',
  'In a gale one {month} she lost her foremast and came home {n} days late under a blanket for a sail.',
  'The crew of {n} slept in shifts, and the cook was the only one with a bunk of his own.',
  'Her bell now hangs in a school and is rung at the end of every term.',
  'She was fast off the wind and stubborn on it, and those who sailed her forgave the second for the first.',
  'A cat was signed on before every voyage, with a thumbprint of ink in the muster roll.',
  'She ran aground off {island2} and floated free on the next tide with hardly a scratch.',
  'Painters liked her for the tan of her sails, which came from oak bark and was never the same twice.',
  'Her log, {n} volumes of it, is a favourite source for students of the weather.',
  'After a refit she took passengers, who paid extra for a chair.',
  'Regattas were never her business, yet she won {n} of them by mistake.',
];

/** The same for festivals. */
export const festivalColour: readonly string[] = [
  'The evening opens with {n} drummers walking backwards through the lanes, so as to face the crowd.',
  'Nobody may buy a drink for himself that night, and nobody goes thirsty.',
  'Strangers are given a ribbon at the gate and are expected to dance with whoever wears its twin.',
  'In wet years it moves into the boat sheds, and most people prefer the wet years.',
  'A prize of {n} herrings goes to the worst song, and competition for it is fierce.',
  'Bakers begin two days ahead, since every household must send a loaf to the long tables.',
  'It was cancelled only once, when fog kept the musicians in {town2}.',
  'The oldest inhabitant lights the first lamp and the youngest blows it out.',
  'Boats from {island2} arrive in procession and are greeted by name from the quay.',
  'A speech of exactly {n} words is read out, and anyone who adds one pays for the fireworks.',
  'Children sell paper gulls, and the money goes to the lifeboat.',
  'Those who cannot come are sent a candle stub, which is supposed to bring good weather.',
];

/** The same for books. */
export const bookColour: readonly string[] = [
  'The manuscript was lost on a ferry and turned up {n} years later in a box of tea.',
  'Reviewers on the mainland found it slow; readers on the islands learned whole pages by heart.',
  'It runs to {n} short chapters, each headed by a line from a tide table.',
  'A first edition on rag paper is shown every {month} in the reading room of {town2}.',
  'The illustrations were cut in pear wood by a prisoner who asked to stay unnamed.',
  'Schools set it for the top form, with the eleventh chapter left out.',
  'Two endings are in print, and families are known to be divided over them.',
  'The opening sentence is quoted on tea towels, rarely correctly.',
  'It has been put on the stage {n} times, always with a real boat.',
  'Critics have looked for its characters among real people, and real people have claimed to be them.',
  'The only translation was made on {island2} by a retired harbour master.',
  'Its author burned the sequel and served the guests potatoes baked in the ashes.',
];
