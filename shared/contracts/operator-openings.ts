/** How the messages to a model begin with which an agent is told what people, or the source of its alert, have said. */
export const OPERATOR_OPENINGS = {
  note: "A person who operates this system follows your investigation and sends you the note below.",
  conclude: "A person who operates this system asks you to conclude.",
  resolved: "The source of the alert reports that the incident is over.",
} as const;
