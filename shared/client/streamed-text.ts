/** The text of an open event as its chunks say, in UTF-16 code units. */
export class StreamedText {
  text = "";
  attempt = 0;

  /**
   * Takes a chunk: repeated text is harmless, and a higher attempt starts over. Returns true if the text began anew. A
   * chunk of an earlier attempt, or one beyond the end of the text, is ignored.
   */
  add(attempt: number, offset: number, delta: string): boolean {
    if (attempt < this.attempt) return false;
    const isNew = attempt > this.attempt;
    if (isNew) {
      this.attempt = attempt;
      this.text = "";
    }
    if (offset <= this.text.length) this.text = this.text.slice(0, offset) + delta;
    return isNew;
  }
}
