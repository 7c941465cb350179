import type { App, ManagedKey } from "@svc/sdk/shapes";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import { type ConsoleVisit, hasRole, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

interface KeyActsProps {
	readonly visit: ConsoleVisit;
	readonly app: Pick<App, "role">;
	readonly of: ManagedKey;
	readonly here: string;
	readonly refused: Refused | undefined;
}

/** What the person may do with a key that works: only who made it changes and rotates it. */
export function KeyActs({ visit, app, of: key, here, refused: refusedForm }: KeyActsProps) {
	const isOwn = key.created_by === visit.person.id;
	const isAdmin = hasRole(app, "admin");
	const refused = refusedForm?.form.get("key") === key.id ? refusedForm : undefined;
	const props = { visit, of: key, here, refused };
	return (
		<div className="acts">
			{isOwn && <Change {...props} />}
			{isOwn && isAdmin && key.replaced_by === null && <Rotate {...props} />}
			{(isOwn || isAdmin) && <Revoke {...props} />}
		</div>
	);
}

type ActProps = Omit<KeyActsProps, "app">;

function Change({ visit, of: { id, name, expires_at }, here, refused }: ActProps) {
	const common = { act: "save", refused };
	return (
		<details className="ask" open={refused?.act === "save"}>
			<summary className="button quiet slim">{t("change")}</summary>
			<ActForm visit={visit} action={here} act="save" fields={{ key: id }} refused={refused}>
				<TextField
					{...common}
					name="name"
					id={`name-${id}`}
					label={t("name")}
					value={name}
					input={{ required: true, maxLength: 100 }}
				/>
				<TextField
					{...common}
					name="expires_at"
					id={`expires_at-${id}`}
					label={t("keys.ends")}
					hint={t("keys.ends.hint")}
					value={expires_at ?? ""}
				/>
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</details>
	);
}

function Rotate({ visit, of: { id }, here, refused }: ActProps) {
	return (
		<details className="ask" open={refused?.act === "rotate"}>
			<summary className="button quiet slim">{t("keys.rotate.ask")}</summary>
			<ActForm visit={visit} action={here} act="rotate" fields={{ key: id }} refused={refused}>
				<SelectField
					act="rotate"
					name="old_expires_in"
					id={`old_expires_in-${id}`}
					label={t("keys.overlap")}
					value="24h"
					refused={refused}
					options={[
						{ value: "0", text: t("keys.overlap.0") },
						{ value: "1h", text: t("keys.overlap.1h") },
						{ value: "24h", text: t("keys.overlap.24h") },
						{ value: "7d", text: t("keys.overlap.7d") },
						{ value: "", text: t("keys.overlap.open") },
					]}
				/>
				<button className="primary" type="submit">
					{t("keys.rotate")}
				</button>
			</ActForm>
		</details>
	);
}

function Revoke({ visit, of: { id }, here, refused }: ActProps) {
	return (
		<details className="ask" open={refused?.act === "revoke"}>
			<summary className="button quiet slim">{t("keys.revoke.ask")}</summary>
			<ActForm visit={visit} action={here} act="revoke" fields={{ key: id }} refused={refused}>
				<p>{t("keys.revoke.about")}</p>
				<button className="final" type="submit">
					{t("keys.revoke")}
				</button>
			</ActForm>
		</details>
	);
}
