import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import "./menu.css";

interface MenuProps {
  readonly label: string;
  /** Buttons and links. They exist while the menu is closed, so that their keys work. */
  readonly children: ComponentChildren;
}

/** Actions that are needed less often, behind one button. Up and down lead from one to the next, Escape closes. */
export function Menu({ label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const all = [...(place.current?.querySelectorAll<HTMLElement>(".button") ?? [])];
    const at = all.findIndex((one) => one === document.activeElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!isOpen || (step === 0 && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      setOpen(false);
      all[0]?.focus();
    } else {
      all.at((at + step) % all.length)?.focus();
    }
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    // Not every browser gives the focus to what is pressed.
    const close = ({ target }: PointerEvent) => {
      if (target instanceof Node && place.current?.contains(target) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [isOpen]);
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && place.current?.contains(relatedTarget) === false) setOpen(false);
  };
  return (
    <div ref={place} class="menu" onKeyDown={move} onFocusOut={leave}>
      <button
        type="button"
        class="button"
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">…</span>
      </button>
      <div id={id} class="menu-items" hidden={!isOpen}>
        {children}
      </div>
    </div>
  );
}
