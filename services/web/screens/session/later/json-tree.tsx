import { useState } from "preact/hooks";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import "./json-tree.css";
import { LATER_TEXT } from "./later-text.ts";

/** So many members are shown without being asked for. */
const FIRST_MEMBERS = 100;
/** Objects up to this size are open at the beginning. */
const OPEN_MEMBERS = 12;
const OPEN_DEPTH = 2;

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
  /** Objects that lie deeper are folded at the beginning. */
  readonly openDepth?: number | undefined;
}

/** A JSON value: objects and lists can be folded, and large ones are at the beginning. */
export function JsonTree({ value, name, depth = 0, openDepth = OPEN_DEPTH }: JsonTreeProps) {
  if (typeof value !== "object" || value === null) {
    return (
      <div class="json-line">
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  return <Members value={value} name={name} depth={depth} openDepth={openDepth} />;
}

interface MembersProps {
  readonly value: object;
  readonly name: string | undefined;
  readonly depth: number;
  readonly openDepth: number;
}

function Members({ value, name, depth, openDepth }: MembersProps) {
  const members = Object.entries(value);
  const [isOpen, setOpen] = useState(depth < openDepth && members.length <= OPEN_MEMBERS);
  const [shown, setShown] = useState(FIRST_MEMBERS);
  const isList = Array.isArray(value);
  const size = isList ? LATER_TEXT.session.items(members.length) : LATER_TEXT.session.members(members.length);
  return (
    <details class="json" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="soft">
          {isList ? "[" : "{"} {size} {isList ? "]" : "}"}
        </span>
      </summary>
      {isOpen && (
        <div class="json-members">
          {members.slice(0, shown).map(([member, inner]) => (
            <JsonTree key={member} name={member} value={inner} depth={depth + 1} openDepth={openDepth} />
          ))}
          {members.length > shown && (
            <button type="button" class="button small" onClick={() => setShown(shown + 10 * FIRST_MEMBERS)}>
              {TEXT.session.showAll(size)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span class="json-name">{shownText(name)}: </span>;
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return <span class="json-scalar">{String(value)}</span>;
  return <span class="json-text">{shownText(value)}</span>;
}
