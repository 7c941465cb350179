import { type Kind, wordsOf } from "@svc/images/transform/values";

/* What the tests of transform parameters send, made from the table: a new parameter is tried without a line in a test. */

export const IMAGE_ID = "img_0123456789ABCDEFGHIJkl";

/** Texts for a value of this kind: its bounds, what lies just outside of them, and what is malformed. */
export function textsOf(kind: Kind): readonly string[] {
	switch (kind.kind) {
		case "choice":
			return [...kind.values.map(String), `${kind.values[0]}`.toUpperCase(), "bogus"];
		case "whole":
			return [kind.min - 1, kind.min, kind.min + 0.5, kind.max, kind.max + 1, ...wordsOf(kind)].map(String);
		case "decimal":
			return [...aroundOf(kind), "-0", ".5", "1.", "1e1", "0.50", "2.123456", "0.0001"];
		case "colour":
			return ["red", "white", "transparent", "#0f08", "rgba(1,2,3,0.25)", "rgb(300,0,0)", "zz"];
		case "image":
			return [IMAGE_ID, IMAGE_ID.replace("0", "1"), "nope"];
		case "point":
			return [
				"0,0",
				"1,1",
				".5,0.25",
				"0.33333333,1.0",
				"-0,0",
				"0,1.0001",
				"-0.1,0",
				"1",
				"1,1,1",
				"a,b",
				...wordsOf(kind),
			];
		case "name":
			return ["a", "Ünïcode 写真.jpeg", "x".repeat(100), "x".repeat(101), "", "a/b", "a\\b", "a\nb", "\ud800"];
		case "piece":
			return [
				"0,0,1,1",
				"007,8,9,10",
				"10,20,3000,4000",
				"0,0,0,1",
				"0,0,1",
				"-1,0,1,1",
				"1.5,0,1,1",
				"0,0,9999999999,1",
				"a",
			];
	}
}

function aroundOf({ min, max }: { readonly min: number; readonly max: number }): readonly string[] {
	return [min - 0.001, min, (min + max) / 2, 1, max, max + 0.0001].map((value) => value.toFixed(6));
}
