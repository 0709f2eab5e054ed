/**
 * Words that make another question of one that is otherwise the same: what is asked for, negation, numbers, order,
 * and words that have an opposite. English, and the signs of Chinese and Japanese.
 */
const lists = [
  // What is asked for. `which` is folded into `what`.
  'who whose when where why how',
  // Negation and how many.
  'no not nor never always often sometimes rarely none neither nothing nobody without non cannot don doesn didn isn aren wasn weren won hasn haven hadn except unless all any every each some both either only half double twice',
  // Numbers and order.
  'zero two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion first second third fourth fifth sixth seventh eighth ninth tenth last latter former next previous initial final penultimate earliest latest earlier later early late before after',
  // Size and rank.
  'large larger largest small smaller smallest big bigger biggest great greater greatest little least less most more fewer fewest long longer longest short shorter shortest high higher highest low lower lowest tall taller tallest deep deepest shallow wide widest narrow narrowest heavy heavier heaviest light lighter lightest fast faster fastest slow slower slowest old older oldest young younger youngest new newer newest best worst better worse rich richest poor poorest hot hottest cold coldest warm near nearest nearer far farthest furthest farther strong strongest weak weakest cheap cheapest expensive major minor maximum minimum max min maximal minimal maximize minimize senior junior',
  // Directions and places.
  'north south east west northern southern eastern western northeast northwest southeast southwest left right top bottom up down upper inner outer inside outside interior exterior above below over under front back horizontal vertical row column rows columns upstream downstream clockwise counterclockwise county country',
  // People.
  'father mother son daughter sons daughters brother sister brothers sisters husband wife uncle aunt nephew niece grandfather grandmother grandson granddaughter king queen prince princess male female man woman men women boy girl boys girls he she his her him parent child parents children teacher student actor actress author editor hero heroine',
  // Time.
  'spring summer autumn fall winter day night morning evening january february april june july august september october november december monday tuesday wednesday thursday friday saturday sunday ancient modern past future',
  // Mathematics and programs.
  'plus minus times sum difference product quotient add subtract multiply divide multiplied divided increasing decreasing increase decrease increases decreases increased decreased ascending descending ascend descend even odd positive negative sine cosine tangent sin cos tan union intersection prefix suffix open closed true false numerator denominator perimeter area volume mean median mode prime composite rational irrational finite infinite convex concave encode decode encrypt decrypt push pop uppercase lowercase inclusive exclusive include exclude including excluding strictly bounded unbounded',
  // What is done.
  'win wins won winner lose loses lost loser born died birth death begin began begins end ended ends start started starts finish finished open opened close closed buy bought sell sold import export rise rose fall fell attack defend arrive arrived leave left enter exit married divorced accept reject against alive dead hard easy public private domestic foreign current',
].join(' ');

/** Digits (but for 一, which stands in `which one`), negation and opposites that are one sign each. */
const signs =
  '〇零二三四五六七八九十百千万億亿不没無无非未東东西南北大小長长短高低先後后前上下左右男女父母兄弟姉姐妹夫妻新旧正負负加減减乗乘除増增升降内外初末春夏秋冬';

/** See the lists above; all of them folded as `foldWords` folds. */
export const oppositeWords: ReadonlySet<string> = new Set([...lists.split(' '), ...signs]);

/** What makes the opposite of a word that it stands before. */
const negatingPrefixes = 'un in im ir il non dis anti de mis sub super pre post'.split(' ');

/** Whether one word is the other behind a prefix that makes its opposite. */
export function isNegated(a: string, b: string): boolean {
  return negatingPrefixes.some((prefix) => a === prefix + b || b === prefix + a);
}
