/** Whether a name matches a glob, in which `*` stands for any characters and `?` for one. Takes no more than both lengths multiplied. */
export function matchesGlob(glob: string, name: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  let position = 0;
  while (position < name.length) {
    if (at < glob.length && glob[at] !== "*" && (glob[at] === "?" || glob[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (at < glob.length && glob[at] === "*") {
      star = at;
      mark = position;
      at += 1;
    } else if (star !== -1) {
      at = star + 1;
      mark += 1;
      position = mark;
    } else return false;
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
