import { type Act, type State, type Step, stay } from "./model.ts";

/** For what cannot be undone: `expected` has to be typed. */
export function confirm(state: State, question: string, expected: string, act: Act): Step {
	return stay({ ...state, overlay: { kind: "confirm", question, expected, typed: "", act }, notice: undefined });
}
