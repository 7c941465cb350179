import type { ReactNode } from "react";
import { formNumber } from "../../kit/form.ts";
import { Alert, Field, PostForm } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";
import { refusal } from "./refusals.ts";
import { type ConsoleVisit, faultOf, type Refused } from "./visit.ts";

/* Forms of the console. */

interface ActFormProps {
	readonly visit: ConsoleVisit;
	/** Where the form stands, and is sent to: a path with its query. */
	readonly action: string;
	readonly act: string;
	readonly fields?: Readonly<Record<string, string>>;
	readonly refused?: Refused | undefined;
	readonly children: ReactNode;
}

/** A form that does one deed of its screen. Its number makes one of two clicks. */
export function ActForm({ visit, action, act, fields = {}, refused, children }: ActFormProps) {
	const hidden = { ...fields, act, number: formNumber() };
	return (
		<PostForm action={action} token={visit.token} fields={hidden}>
			{refused?.act === act && (
				<Alert answers={refused.error.details === undefined}>{saidOf(refused.error.message)}</Alert>
			)}
			{children}
		</PostForm>
	);
}

interface TextFieldProps {
	readonly act: string;
	readonly name: string;
	/** Where two forms of a page have a field of this name. */
	readonly id?: string;
	readonly label: Text;
	readonly hint?: ReactNode;
	readonly value?: string;
	readonly refused?: Refused | undefined;
	/** The letter that leads to it. */
	readonly shortcut?: string;
	readonly input?: Partial<React.ComponentProps<"input">>;
}

/** What was typed into a refused form stands in it again, with the API's own words on it. */
export function TextField({ act, name, id = name, label, hint, value = "", refused, shortcut, input }: TextFieldProps) {
	return (
		<Field
			name={name}
			id={id}
			label={label}
			hint={hint}
			fault={faultText(refused, act, name)}
			input={{
				defaultValue: typedIn(refused, act, name) ?? value,
				...(shortcut && { "data-keys": shortcut }),
				...input,
			}}
		/>
	);
}

export function TextArea({
	act,
	name,
	id = name,
	label,
	hint,
	value = "",
	refused,
}: Omit<TextFieldProps, "input" | "shortcut">) {
	const fault = faultText(refused, act, name);
	const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(" ");
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			{hint && (
				<span className="hint" id={`${id}-hint`}>
					{hint}
				</span>
			)}
			<textarea
				id={id}
				name={name}
				rows={4}
				defaultValue={typedIn(refused, act, name) ?? value}
				aria-describedby={described || undefined}
				aria-invalid={fault ? true : undefined}
				{...(fault && { autoFocus: true })}
			/>
			{fault && (
				<span className="fault" id={`${id}-fault`} role="alert">
					{fault}
				</span>
			)}
		</div>
	);
}

interface SelectFieldProps extends Omit<TextFieldProps, "input" | "hint" | "shortcut"> {
	readonly options: readonly { readonly value: string; readonly text: Text }[];
}

export function SelectField({ act, name, id = name, label, value = "", refused, options }: SelectFieldProps) {
	const fault = faultOf(refused, act, name);
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			<select
				id={id}
				name={name}
				defaultValue={typedIn(refused, act, name) ?? value}
				aria-describedby={fault && `${id}-fault`}
				aria-invalid={fault ? true : undefined}
			>
				{options.map((one) => (
					<option key={one.value} value={one.value}>
						{one.text}
					</option>
				))}
			</select>
			{fault && (
				<span className="fault" id={`${id}-fault`} role="alert">
					{fault}
				</span>
			)}
		</div>
	);
}

/** The API's own words on a field, or what somebody else has made of it. */
function faultText(refused: Refused | undefined, act: string, name: string): Text | undefined {
	const fault = faultOf(refused, act, name);
	const theirs = refused?.theirs?.[name];
	return fault !== undefined && theirs !== undefined ? t("changed", { now: theirs || "–" }) : saidOf(fault);
}

/** What a line is that says no pair, and what an amount looks like, in words of no language. */
const PAIRS = "key=value";
export const MONEY = "7.65";

function saidOf(words: string): Text;
function saidOf(words: string | undefined): Text | undefined;
function saidOf(words: string | undefined): Text | undefined {
	if (words === MONEY) return t("money.hint");
	return words === PAIRS ? t("map.hint") : words;
}

/**
 * A word by itself is nobody's label: the API would take it for one to remove, and say nothing.
 * @throws ApiError 422 naming the field
 */
export function requirePairs(name: string, text: string): void {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
	if (lines.every((line) => line.includes("="))) return;
	throw refusal(name, PAIRS);
}

/** What was typed; undefined for a form that was not refused. */
function typedIn(refused: Refused | undefined, act: string, name: string): string | undefined {
	return refused?.act === act ? refused.form.get(name) : undefined;
}

/** `key=value` a line. */
export function mapText(map: Readonly<Record<string, string>>): string {
	return Object.entries(map)
		.map(([key, value]) => `${key}=${value}`)
		.join("\n");
}

/** The map that a textarea says, whole: a line without `=` is a key with an empty value. */
export function mapOf(text: string): Record<string, string> {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
	return Object.fromEntries(
		lines.map((line) => {
			const place = line.indexOf("=");
			return place < 0 ? [line.trim(), ""] : [line.slice(0, place).trim(), line.slice(place + 1).trim()];
		}),
	);
}

/** The change that makes one map of another: what is not in it any more is removed. */
export function mapChange(
	before: Readonly<Record<string, string>>,
	after: Readonly<Record<string, string>>,
): Record<string, string | null> {
	const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
	const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
	return Object.fromEntries([...gone.map((key) => [key, null] as const), ...changed]);
}
