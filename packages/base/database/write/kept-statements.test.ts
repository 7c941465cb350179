import { expect, test } from "bun:test";
import { eq, type SQLWrapper, sql } from "drizzle-orm";
import { ofRequest } from "../request-claims.ts";
import { images } from "../schema/images.ts";
import { statements } from "../statements.ts";
import { statementOf } from "./change-statements.ts";
import { keptStatement } from "./kept-statements.ts";

const [labels, publishedMs] = [{ colour: "red" }, 5];

function sent(run: SQLWrapper) {
	const { sql: text, args } = statementOf({ run });
	return { text, args };
}

test("a kept statement sends the text and the values of the one that is built anew, its values as the columns keep them", () => {
	const change = keptStatement<{ labels: object; public: boolean | null; pk: number }>((at) =>
		statements
			.update(images)
			.set({ labels: sql`${sql.param(at.labels, images.labels)}`, public: sql`${sql.param(at.public, images.public)}` })
			.where(eq(images.pk, at.pk)),
	);
	for (const visible of [true, false, null]) {
		const anew = statements.update(images).set({ labels, public: visible }).where(eq(images.pk, 7));
		expect(sent(change({ labels, public: visible, pk: 7 }))).toEqual(sent(anew));
	}
	expect(sent(ofRequest("req", change({ labels, public: null, pk: 7 }))).args).toEqual([null, '{"colour":"red"}', 7]);
});

test("a kept statement is built once for each of its shapes", () => {
	let built = 0;
	const find = keptStatement<{ publishedMs: number }, [wide: boolean]>((at, wide) => {
		built += 1;
		return sql`SELECT ${wide ? sql`*` : sql`1`} FROM ${images} WHERE ${images.publishedMs} = ${at.publishedMs}`;
	});
	const texts = [true, false, true, false].map((wide) => sent(find({ publishedMs }, wide)).text);
	expect(built).toBe(2);
	expect(new Set(texts).size).toBe(2);
});

test("a kept statement is not sent without one of its values", () => {
	const find = keptStatement<{ pk?: number }>((at) => sql`SELECT ${at.pk}`);
	expect(() => find({ pk: 1 })).not.toThrow();
	expect(() => find({})).toThrow("has no value for pk");
});
