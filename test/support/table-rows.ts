/** The cells of a table of text: a line for each row, cells with ` | ` between them. */
export function tableRows(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(" | ").map((cell) => cell.trim()));
}
