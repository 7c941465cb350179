import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { presets } from "@svc/base/database/schema/delivery";
import { condition, olderThan, statements, updateStep } from "@svc/base/database/statements";
import { and, desc, eq, ne, or, type SQL, sql } from "drizzle-orm";
import type { Preset } from "./preset.ts";
import { changedStep } from "./versions-store.ts";

/** Parameters as they are kept: JSON. */
interface KeptPreset {
	readonly id: string;
	readonly name: string;
	readonly parameters: string;
}

export function presetStore(database: Database) {
	return {
		/** The newest first. */
		list: (appPk: number, { limit, beforePk }: Span) =>
			findPresets(database, and(eq(presets.appPk, appPk), olderThan(presets.pk, beforePk)), limit),
		async find(appPk: number, id: string): Promise<Preset | undefined> {
			const [found] = await findPresets(database, and(eq(presets.id, id), eq(presets.appPk, appPk)), 1);
			return found;
		},
		/** `taken` where another one of the App has its name, `full` where the App has `max` already. */
		/** Whether an App has a preset of this name. */
		async isNamed(appPk: number, name: string): Promise<boolean> {
			return (await findPresets(database, and(eq(presets.name, name), eq(presets.appPk, appPk)), 1)).length > 0;
		},
		create: createPreset.bind(null, database),
		/** A value that is set already is neither changed nor audited. */
		change: changePreset.bind(null, database),
		delete: deletePreset.bind(null, database),
	};
}

async function findPresets(
	{ queries, read }: Database,
	where: SQL | undefined,
	limit: number,
): Promise<readonly Preset[]> {
	const { pk, id, name, parameters, createdMs } = presets;
	const select = queries.select({ pk, id, name, parameters, createdMs }).from(presets);
	const rows = await read(() => select.where(where).orderBy(desc(pk)).limit(limit));
	return rows.map((row) => ({ ...row, parameters: JSON.parse(row.parameters) }));
}

async function createPreset(
	{ write }: Database,
	authority: Authority,
	{ id, name, parameters }: KeptPreset,
	max: number,
): Promise<"demoted" | "taken" | "full" | undefined> {
	const { appPk, by } = authority;
	const insert = statements.insert(presets).values({ id, appPk, name, parameters, createdMs: by.nowMs });
	const count = sql`SELECT count(*) FROM ${presets} WHERE ${presets.appPk} = ${appPk}`;
	const changes = { name, parameters: JSON.parse(parameters) };
	const { refused } = await write([
		authorityStep(authority),
		{ run: insert.onConflictDoNothing({ target: [presets.appPk, presets.name] }), guard: "taken" },
		// The count includes the new one.
		condition(appPk, sql`(${count}) <= ${max}`, "full"),
		changedStep(appPk),
		{ run: auditBy(by, { appPk, event: "preset.created", target: id, changes }) },
	]);
	return refused;
}

async function changePreset(
	{ write }: Database,
	authority: Authority,
	{ pk, id }: Preset,
	{ name, parameters }: { readonly name?: string | undefined; readonly parameters?: string | undefined },
): Promise<"demoted" | "taken" | undefined> {
	const { appPk, by } = authority;
	const sent = { ...(name !== undefined && { name }), ...(parameters !== undefined && { parameters }) };
	if (Object.keys(sent).length === 0) return undefined;
	const differs = or(
		name === undefined ? undefined : ne(presets.name, name),
		parameters === undefined ? undefined : ne(presets.parameters, parameters),
	);
	const other = sql`SELECT 1 FROM ${presets}
		WHERE ${presets.appPk} = ${appPk} AND ${presets.name} = ${name ?? null} AND ${presets.pk} <> ${pk}`;
	const changes = { name, parameters: parameters === undefined ? undefined : JSON.parse(parameters) };
	const { refused } = await write([
		authorityStep(authority),
		condition(appPk, sql`NOT EXISTS (${other})`, "taken"),
		updateStep(presets, sent, and(eq(presets.pk, pk), eq(presets.id, id), differs)),
		{ run: auditOnChange(by, { appPk, event: "preset.updated", target: id, changes }) },
		changedStep(appPk),
	]);
	return refused;
}

async function deletePreset(
	{ write }: Database,
	authority: Authority,
	{ pk, id, name }: Preset,
): Promise<"demoted" | "gone" | undefined> {
	const { appPk, by } = authority;
	const named = and(eq(presets.pk, pk), eq(presets.id, id));
	const { refused } = await write([
		authorityStep(authority),
		{ run: statements.delete(presets).where(named), guard: "gone" },
		changedStep(appPk),
		{ run: auditBy(by, { appPk, event: "preset.deleted", target: id, changes: { name } }) },
	]);
	return refused;
}
