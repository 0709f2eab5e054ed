import { z } from 'zod';

/** Faults that the embedded model of a synthesis plants, and the drop that must come of each. */
export const faultEnds = {
  hallucinated_page: 'unsupported',
  swapped_gold: 'unsupported',
  unanswerable: 'unanswerable',
  cycle: 'cycle',
  false_hop: 'pseudo_step',
  answer_leak: 'answer_in_question',
  link_leak: 'link_in_question',
  drift: 'answer_drift',
  known_beforehand: 'closed_book',
} as const;
export type FaultKind = keyof typeof faultEnds;

/** One line of `planted.jsonl` of a synthesis: a fault, and the fact or question that has it. */
export const plantedFaultSchema = z.strictObject({
  fault: z.enum(Object.keys(faultEnds) as [FaultKind, ...FaultKind[]]),
  fact: z.strictObject({ subject: z.string(), relation: z.string(), value: z.string() }).optional(),
  question: z.string().optional(),
});
export type PlantedFault = z.infer<typeof plantedFaultSchema>;
