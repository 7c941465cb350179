import type { WebhookEndpoint } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { Alert } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { EndpointFields } from "./webhooks.tsx";

/* What an Admin may do with an endpoint. */

interface ActsProps {
	readonly visit: ConsoleVisit;
	readonly of: WebhookEndpoint;
	readonly here: string;
	readonly refused: Refused | undefined;
}

const DAY_MS = 86_400_000;

export function EndpointActs({ visit, of: endpoint, here, refused }: ActsProps) {
	const isEnabled = endpoint.state === "enabled";
	const form = { visit, here, refused };
	// Somebody else may have switched it off since the form was shown.
	const isLate = !isEnabled && (refused?.act === "test" || refused?.act === "recover");
	return (
		<div className="acts">
			{isLate && <Alert answers>{refused?.error.message}</Alert>}
			{isEnabled && <Button {...form} act="test" text={t("webhooks.test")} />}
			{isEnabled ? (
				<Button {...form} act="disable" text={t("webhooks.disable")} />
			) : (
				<Button {...form} act="enable" text={t("webhooks.enable")} />
			)}
			<Question {...form} act="save" ask={t("change")} button={t("save")}>
				<EndpointFields act="save" refused={refused} of={endpoint} />
			</Question>
			<Question {...form} act="rotate" ask={t("keys.rotate.ask")} button={t("keys.rotate")}>
				<SelectField
					act="rotate"
					name="old_expires_in"
					label={t("webhooks.overlap")}
					value="24h"
					refused={refused}
					options={[
						{ value: "0", text: t("keys.overlap.0") },
						{ value: "1h", text: t("keys.overlap.1h") },
						{ value: "24h", text: t("keys.overlap.24h") },
						{ value: "7d", text: t("keys.overlap.7d") },
					]}
				/>
			</Question>
			{isEnabled && (
				<Question {...form} act="recover" ask={t("webhooks.recover.ask")} button={t("webhooks.recover")}>
					<TextField
						act="recover"
						name="since"
						label={t("activity.since")}
						hint={t("webhooks.recover.hint")}
						value={new Date(visit.nowMs - DAY_MS).toISOString().slice(0, 10)}
						refused={refused}
						input={{ type: "date", required: true }}
					/>
				</Question>
			)}
			<Question {...form} act="delete" ask={t("webhooks.delete.ask")} button={t("delete")} look="final">
				<p>{t("webhooks.delete.about")}</p>
			</Question>
		</div>
	);
}

interface ActProps extends Pick<ActsProps, "visit" | "here" | "refused"> {
	readonly act: string;
}

function Button({ visit, here, refused, act, text }: ActProps & { readonly text: Text }) {
	return (
		<ActForm visit={visit} action={here} act={act} refused={refused}>
			<button className="quiet slim" type="submit">
				{text}
			</button>
		</ActForm>
	);
}

interface QuestionProps extends ActProps {
	readonly ask: Text;
	readonly button: Text;
	readonly look?: "primary" | "final";
	readonly children: ReactNode;
}

/** A form that its button opens. */
function Question({ visit, here, refused, act, ask, button, look = "primary", children }: QuestionProps) {
	return (
		<details className="ask" open={refused?.act === act}>
			<summary className="button quiet slim">{ask}</summary>
			<ActForm visit={visit} action={here} act={act} refused={refused}>
				{children}
				<button className={look} type="submit">
					{button}
				</button>
			</ActForm>
		</details>
	);
}
