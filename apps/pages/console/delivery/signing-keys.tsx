import type { SigningKey } from "@svc/sdk/shapes";
import { Day } from "../../kit/parts.tsx";
import { ActForm, TextField } from "../kit/forms.tsx";
import { Lines } from "../kit/lines.tsx";
import { t } from "../messages.ts";
import type { DeliveryParts } from "./delivery.tsx";

/* With what an App signs addresses of its images. */

export function SigningKeys({ keys, ...parts }: DeliveryParts & { readonly keys: readonly SigningKey[] }) {
	const { visit, here, isAdmin, refused } = parts;
	const lines = keys.map((key) => ({
		id: key.id,
		cells: [
			<strong key="name">
				<bdi>{key.name}</bdi>
			</strong>,
			<code key="last4">…{key.last4}</code>,
			<Day key="since" ms={Date.parse(key.created_at)} />,
			...(isAdmin ? [<KeyActs key="acts" {...parts} of={key} />] : []),
		],
	}));
	const columns = [t("name"), t("delivery.keys.ends"), t("settings.since"), ...(isAdmin ? [""] : [])];
	return (
		<>
			<h2>{t("delivery.keys")}</h2>
			<p className="soft">{t("delivery.keys.about")}</p>
			{isAdmin && (
				<details className="ask narrow" open={refused?.act === "sign"}>
					<summary className="button primary">{t("delivery.keys.new")}</summary>
					<div className="card">
						<ActForm visit={visit} action={here} act="sign" refused={refused}>
							<TextField
								act="sign"
								name="name"
								id="name-key"
								label={t("name")}
								hint={t("keys.name.hint")}
								refused={refused}
								input={{ required: true, maxLength: 100 }}
							/>
							<button className="primary" type="submit">
								{t("keys.create")}
							</button>
						</ActForm>
					</div>
				</details>
			)}
			{lines.length > 0 && <Lines caption={t("delivery.keys")} columns={columns} lines={lines} />}
		</>
	);
}

function KeyActs({ visit, here, of, refused: refusedForm }: DeliveryParts & { readonly of: SigningKey }) {
	const refused = refusedForm?.form.get("key") === of.id ? refusedForm : undefined;
	return (
		<div className="acts">
			<details className="ask" open={refused?.act === "rotate"}>
				<summary className="button quiet slim">{t("keys.rotate.ask")}</summary>
				<ActForm visit={visit} action={here} act="rotate" fields={{ key: of.id, name: of.name }} refused={refused}>
					<p>{t("delivery.rotate.about")}</p>
					<button className="primary" type="submit">
						{t("keys.rotate")}
					</button>
				</ActForm>
			</details>
			<details className="ask" open={refused?.act === "revoke"}>
				<summary className="button quiet slim">{t("keys.revoke.ask")}</summary>
				<ActForm visit={visit} action={here} act="revoke" fields={{ key: of.id }} refused={refused}>
					<p>{t("delivery.revoke.about")}</p>
					<button className="final" type="submit">
						{t("keys.revoke")}
					</button>
				</ActForm>
			</details>
		</div>
	);
}
