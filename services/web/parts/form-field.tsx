import type { ComponentChildren } from "preact";
import "./form-field.css";

interface FormFieldProps {
  /** The id of the control. */
  readonly id: string;
  readonly label: string;
  /** What is wrong about it. */
  readonly failure: string | undefined;
  readonly children: ComponentChildren;
}

/** A labelled control with what is wrong about it. */
export function FormField({ id, label, failure, children }: FormFieldProps) {
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {children}
      <FieldFailure id={id} failure={failure} />
    </div>
  );
}

/** What is wrong about a control; there at once, so that screen readers tell of a change. */
export function FieldFailure({ id, failure }: Pick<FormFieldProps, "id" | "failure">) {
  return (
    <p id={`${id}-failure`} class="field-failure" role="alert">
      {failure}
    </p>
  );
}

/** The attributes of a control that its failure describes. */
export function failingControl(id: string, failure: string | undefined) {
  return { id, "aria-describedby": `${id}-failure`, "aria-invalid": failure !== undefined };
}
