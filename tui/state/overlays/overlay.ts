import type { Action } from "../acts/action.ts";
import type { Form } from "../forms/form.ts";

/* What is asked, or shown, over the list. */

/** What a text that is asked for is for. */
export type Wanted =
	| { readonly kind: "new-webhook" | "new-signing-key"; readonly app: string }
	| { readonly kind: "recover"; readonly app: string; readonly id: string }
	| { readonly kind: "address"; readonly url: string }
	/** The words that a command lacks. */
	| { readonly kind: "command"; readonly line: string };

export type Overlay =
	/** `caret`, here and below: the characters before it. */
	| { readonly kind: "filter"; readonly caret: number }
	/** A block that lacks only its reason: its targets were chosen before the list could change. */
	| {
			readonly kind: "reason";
			readonly of: Extract<Action, { kind: "moderate" }> | { readonly kind: "app"; readonly id: string };
	  }
	| {
			readonly kind: "text";
			readonly label: string;
			readonly typed: string;
			readonly caret: number;
			readonly wanted: Wanted;
	  }
	| { readonly kind: "secret"; readonly secret: string }
	| Form
	/** What a command of the CLI has printed; undefined while it runs. */
	| {
			readonly kind: "output";
			readonly line: string;
			readonly seq: number;
			readonly lines: readonly string[] | undefined;
			/** First line that is shown. */
			readonly first: number;
	  }
	| {
			readonly kind: "search";
			readonly of: "keys" | "palette";
			readonly query: string;
			readonly caret: number;
			readonly cursor: number;
	  }
	| {
			readonly kind: "confirm";
			readonly question: string;
			readonly expected: string;
			readonly typed: string;
			readonly caret: number;
			readonly act: Action;
	  };
