import type { ManagedKey } from "@svc/sdk/shapes";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import { SecretCard } from "../kit/secret-card.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* A key that is to be made, and one that has just been made. */

/** The secret is null where the form was sent before: it is shown once. */
export type KeyWithSecret = ManagedKey & { readonly secret: string | null };

export function MadeKeyCard({ made, base }: { readonly made: KeyWithSecret; readonly base: string }) {
	const env = (secret: string) => `SVC_BASE_URL=${base}\nSVC_API_KEY=${secret}`;
	return <SecretCard title={made.name} secret={made.secret} env={env} />;
}

interface NewKeyProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly open: boolean;
}

export function NewKey({ visit, here, refused, open }: NewKeyProps) {
	const common = { act: "create", refused };
	return (
		<details className="ask narrow" open={open || refused?.act === "create"}>
			<summary className="button primary">{t("keys.new")}</summary>
			<div className="card">
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<TextField
						{...common}
						name="name"
						label={t("name")}
						hint={t("keys.name.hint")}
						input={{ required: true, maxLength: 100 }}
					/>
					<SelectField
						{...common}
						name="reach"
						label={t("keys.reach")}
						value="app"
						options={[
							{ value: "app", text: t("keys.reach.app") },
							{ value: "bucket", text: t("keys.reach.bucket") },
						]}
					/>
					<SelectField
						{...common}
						name="permissions"
						label={t("keys.permissions")}
						value="read,write"
						options={[
							{ value: "read,write", text: t("keys.may.read_write") },
							{ value: "read", text: t("keys.may.read") },
							{ value: "write", text: t("keys.may.write") },
						]}
					/>
					<TextField
						{...common}
						name="expires_at"
						label={t("keys.ends")}
						hint={t("keys.ends.hint")}
						input={{ type: "date" }}
					/>
					<button className="primary" type="submit">
						{t("keys.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}
