import type { Preset } from "@svc/sdk/shapes";
import { ActForm, mapText, TextArea, TextField } from "../kit/forms.tsx";
import { Lines } from "../kit/lines.tsx";
import { t } from "../messages.ts";
import type { DeliveryParts } from "./delivery.tsx";

/* Forms of an App's images under a name. */

interface PresetsProps extends DeliveryParts {
	readonly presets: readonly Preset[];
	/** Addresses that show one picture of the App, by the preset. */
	readonly pictures: ReadonlyMap<string, string>;
}

export function Presets({ presets, pictures, ...parts }: PresetsProps) {
	const lines = presets.map((preset) => ({
		id: preset.id,
		cells: [
			<strong key="name">{preset.name}</strong>,
			<Picture key="picture" src={pictures.get(preset.id)} />,
			<code key="parameters">{new URLSearchParams(preset.parameters).toString()}</code>,
			...(parts.isAdmin ? [<PresetActs key="acts" {...parts} of={preset} />] : []),
		],
	}));
	const columns = [t("name"), t("delivery.picture"), t("delivery.parameters"), ...(parts.isAdmin ? [""] : [])];
	return (
		<>
			<h2>{t("delivery.presets")}</h2>
			<p className="soft">{t("delivery.presets.about")}</p>
			{parts.isAdmin && <NewPreset {...parts} />}
			{lines.length > 0 && <Lines caption={t("delivery.presets")} columns={columns} lines={lines} />}
		</>
	);
}

function Picture({ src }: { readonly src: string | undefined }) {
	return src === undefined ? "–" : <img className="preset" src={src} alt="" loading="lazy" />;
}

function NewPreset({ visit, here, refused }: DeliveryParts) {
	return (
		<details className="ask narrow" open={refused?.act === "create"}>
			<summary className="button primary">{t("delivery.presets.new")}</summary>
			<div className="card">
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<Fields act="create" refused={refused} />
					<button className="primary" type="submit">
						{t("delivery.presets.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}

interface FieldsProps extends Pick<DeliveryParts, "refused"> {
	readonly act: string;
	readonly of?: Preset;
}

function Fields({ act, of, refused }: FieldsProps) {
	const common = { act, refused };
	const apart = of ? `-${of.id}` : "";
	return (
		<>
			<TextField
				{...common}
				name="name"
				id={`name${apart}`}
				label={t("name")}
				hint={t("builder.name")}
				value={of?.name ?? ""}
				input={{ required: true, maxLength: 32 }}
			/>
			<TextArea
				{...common}
				name="parameters"
				id={`parameters${apart}`}
				label={t("delivery.parameters")}
				hint={t("map.hint")}
				value={of ? mapText(of.parameters) : ""}
			/>
		</>
	);
}

function PresetActs({ visit, here, of, refused: refusedForm }: DeliveryParts & { readonly of: Preset }) {
	const refused = refusedForm?.form.get("preset") === of.id ? refusedForm : undefined;
	const fields = { preset: of.id };
	return (
		<div className="acts">
			<details className="ask" open={refused?.act === "change"}>
				<summary className="button quiet slim">{t("change")}</summary>
				<ActForm visit={visit} action={here} act="change" fields={fields} refused={refused}>
					<Fields act="change" of={of} refused={refused} />
					<button className="primary" type="submit">
						{t("save")}
					</button>
				</ActForm>
			</details>
			<details className="ask" open={refused?.act === "delete"}>
				<summary className="button quiet slim">{t("delivery.delete.ask")}</summary>
				<ActForm visit={visit} action={here} act="delete" fields={fields} refused={refused}>
					<p>{t("delivery.delete.about")}</p>
					<button className="final" type="submit">
						{t("delete")}
					</button>
				</ActForm>
			</details>
		</div>
	);
}
