/** Instructions for inspecting an image, part of the fingerprint. */
export const inspectionPrompts = {
  question:
    'Look at the image and answer the question about it. Say what you see that the answer rests on, and copy text and numbers exactly. When the image does not show what is asked for, say so; never guess.',
  description:
    'Describe the image for someone who cannot see it: what kind of image it is, what it shows and where, and every text and number in it, copied exactly. Describe only what can be seen.',
} as const;

/** Text sent with an image. */
export function inspectionPrompt(question: string | undefined): string {
  return question ? `${inspectionPrompts.question}\n\nQuestion: ${question}` : inspectionPrompts.description;
}
