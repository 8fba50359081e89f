/** The session whose row has the focus. */
export function focusedId(): string | undefined {
  const row = document.activeElement?.closest<HTMLElement>("[data-session]");
  return row?.dataset["session"];
}

/** Moves the focus to another row's link; from elsewhere to the first one. */
export function moveFocus(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>(".session-link")];
  const id = focusedId();
  const index = links.findIndex(
    (link) => link.closest<HTMLElement>("[data-session]")?.dataset["session"] === id,
  );
  const next = links[index === -1 ? 0 : Math.min(Math.max(index + step, 0), links.length - 1)];
  next?.focus();
  next?.closest("li")?.scrollIntoView({ block: "nearest" });
}
