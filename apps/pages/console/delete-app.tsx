import type { App, Usage } from "@svc/sdk/shapes";
import { fileSize } from "../kit/parts.tsx";
import { type PageResult, redirect } from "../kit/visit.ts";
import { ActForm, TextField } from "./kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused } from "./kit/visit.ts";
import { t } from "./messages.ts";

/* What an App holds: taken along, and deleted for good. */

interface HeldProps {
	readonly app: App;
	readonly usage: Usage;
}

export function Export({ app, usage }: HeldProps) {
	return (
		<div className="card">
			<h2>{t("export")}</h2>
			<p>{t("export.about", held(usage))}</p>
			<p>
				<a className="button quiet" href={`/console/${app.id}/images.zip`} download>
					{t("export.zip")}
				</a>
			</p>
			<p className="soft">
				{t("export.more", { a: (words) => <a href={`/console/${app.id}/images/chosen?all=1`}>{words}</a> })}
			</p>
		</div>
	);
}

/** Older interfaces count the App storage alone. */
function held({ totals, limits }: Usage) {
	return { images: limits?.images.used ?? totals.images_stored, bytes: fileSize(totals.storage_used_bytes) };
}

interface DeleteProps extends HeldProps {
	readonly visit: ConsoleVisit;
	readonly action: string;
	readonly refused: Refused | undefined;
}

export function Delete({ visit, app, usage, action, refused }: DeleteProps) {
	const isPaidFor = refused?.act === "delete" && refused.error.status === 409;
	return (
		<div className="card">
			<h2>{t("delete_app")}</h2>
			<p>{t("delete_app.about", { ...held(usage), users: usage.limits?.users.used ?? 0 })}</p>
			<ActForm visit={visit} action={action} act="delete" refused={refused}>
				<TextField
					act="delete"
					name="confirm_name"
					label={t("delete_app.name", { app: <bdi>{app.name}</bdi> })}
					refused={refused}
					input={{ required: true, autoComplete: "off" }}
				/>
				{isPaidFor && (
					<label className="choice">
						<input type="checkbox" name="cancel_subscriptions" value="true" />
						<span>{t("delete_app.subscriptions")}</span>
					</label>
				)}
				<button className="final" type="submit">
					{t("delete")}
				</button>
			</ActForm>
		</div>
	);
}

export async function remove({ api, params, form, leave }: ConsolePost): Promise<PageResult> {
	const cancelSubscriptions = form.get("cancel_subscriptions") === "true";
	await api.apps.delete(params.app ?? "", form.get("confirm_name") ?? "", { cancelSubscriptions });
	await leave({ what: "app_deleted" });
	return redirect("/console");
}
