/** What the model is told after a call to it failed, before it is asked again. */
export function retryPrompt(error: string): string {
  return `Error from the previous attempt: ${error}. Please try again.`;
}
