import type { App } from "@svc/sdk/shapes";
import { CopyButton } from "../kit/copy-button.tsx";
import { Fact } from "../kit/facts.tsx";
import { ActForm, TextField } from "../kit/forms.tsx";
import { hasRole } from "../kit/visit.ts";
import { t } from "../messages.ts";
import type { DeliveryParts } from "./delivery.tsx";

/* The host of an App's own for its images, and the record that says so. Its Owner sets it. */

export function ImageHost(props: DeliveryParts) {
	const own = props.app.image_host;
	const isOwner = hasRole(props.app, "owner");
	if (!own && !isOwner) return null;
	return (
		<section className="stack" aria-labelledby="image-host">
			<h2 id="image-host">{t("delivery.host")}</h2>
			<p className="soft">{t("delivery.host.about")}</p>
			<div className="panels">
				{own && <Stands {...props} own={own} />}
				{isOwner && <Form {...props} />}
			</div>
		</section>
	);
}

type Own = NonNullable<App["image_host"]>;

function Stands({ visit, here, isAdmin, refused, own }: DeliveryParts & { readonly own: Own }) {
	const { host, state, record } = own;
	return (
		<div className="card">
			<dl className="facts">
				<Fact name={t("delivery.host.name")}>
					<bdi>{host}</bdi>{" "}
					<span className={`tag ${state === "verified" ? "" : "warns"}`}>
						{t(`delivery.host.${state}` as "delivery.host.pending")}
					</span>
				</Fact>
				<Fact name={t("delivery.host.record")}>
					<code id="record-name">{record.name}</code> <CopyButton of="record-name" />
				</Fact>
				<Fact name={t("delivery.host.value")}>
					<code id="record-value">{record.value}</code> <CopyButton of="record-value" />
				</Fact>
			</dl>
			{isAdmin && (
				<ActForm visit={visit} action={here} act="verify" refused={refused}>
					<button className="quiet" type="submit">
						{t("delivery.host.verify")}
					</button>
				</ActForm>
			)}
		</div>
	);
}

function Form({ visit, app, here, refused }: DeliveryParts) {
	return (
		<div className="card">
			<ActForm visit={visit} action={here} act="host" refused={refused}>
				<TextField
					act="host"
					name="image_host"
					label={t("delivery.host.name")}
					hint={t("delivery.host.hint")}
					value={app.image_host?.host ?? ""}
					refused={refused}
					input={{ autoCapitalize: "none", spellCheck: false, inputMode: "url" }}
				/>
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</div>
	);
}
