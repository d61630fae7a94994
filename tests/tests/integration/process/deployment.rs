//! The files in deploy/ that no cluster runs here: the manifests of Kubernetes hold their rules, and the program accepts the
//! configurations and command lines in them.

use clap::Parser;
use std::path::{Path, PathBuf};
use trapeza::cli::Cli;
use trapeza_testkit::process;
use yaml_rust2::{Yaml, YamlLoader};

/// The two ways to run a bank, with the kind of their workload.
const BANKS: [(&str, &str); 2] = [("postgresql", "Deployment"), ("sqlite", "StatefulSet")];

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("deploy")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The objects that a kustomization lists. Every other file of its directory must be listed.
fn objects(bank: &str) -> Vec<Yaml> {
    let directory = deploy().join("kubernetes").join(bank);
    let parsed = |name: &str| YamlLoader::load_from_str(&read(&directory.join(name))).unwrap();
    let listed = parsed("kustomization.yaml").remove(0)["resources"].clone();
    let mut listed: Vec<String> = listed.into_iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    let files = std::fs::read_dir(&directory).unwrap();
    let mut files: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|name| name != "kustomization.yaml");
    listed.sort();
    files.sort();
    assert_eq!(listed, files, "{bank}");
    listed.iter().flat_map(|name| parsed(name)).collect()
}

fn object<'a>(objects: &'a [Yaml], kind: &str) -> &'a Yaml {
    let mut found = objects.iter().filter(|object| object["kind"].as_str() == Some(kind));
    let object = found.next().unwrap_or_else(|| panic!("there is no {kind}"));
    assert!(found.next().is_none(), "there are two of {kind}");
    object
}

fn pod<'a>(objects: &'a [Yaml], kind: &str) -> &'a Yaml {
    &object(objects, kind)["spec"]["template"]
}

fn texts(list: &Yaml) -> Vec<&str> {
    list.as_vec().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn pods_have_no_privileges_and_a_read_only_root() {
    for (bank, kind) in BANKS {
        let objects = objects(bank);
        let spec = &pod(&objects, kind)["spec"];
        let (pod, container) = (&spec["securityContext"], &spec["containers"][0]["securityContext"]);
        assert_eq!(spec["containers"].as_vec().unwrap().len(), 1);
        assert_eq!(spec["automountServiceAccountToken"].as_bool(), Some(false), "{bank}");
        assert_eq!(pod["runAsNonRoot"].as_bool(), Some(true), "{bank}");
        assert_eq!(pod["runAsUser"].as_i64(), Some(10001), "{bank}");
        assert_eq!(pod["seccompProfile"]["type"].as_str(), Some("RuntimeDefault"), "{bank}");
        assert_eq!(container["readOnlyRootFilesystem"].as_bool(), Some(true), "{bank}");
        assert_eq!(container["allowPrivilegeEscalation"].as_bool(), Some(false), "{bank}");
        assert_eq!(texts(&container["capabilities"]["drop"]), ["ALL"], "{bank}");
    }
}

#[test]
fn postgresql_deployment_replaces_one_server_after_the_other() {
    let objects = objects("postgresql");
    let spec = &object(&objects, "Deployment")["spec"];
    assert!(spec["replicas"].as_i64().unwrap() >= 2);
    assert_eq!(spec["strategy"]["rollingUpdate"]["maxUnavailable"].as_i64(), Some(0));
    assert!(spec["strategy"]["rollingUpdate"]["maxSurge"].as_i64().unwrap() >= 1);
    assert_eq!(object(&objects, "PodDisruptionBudget")["spec"]["maxUnavailable"].as_i64(), Some(1));
}

#[test]
fn sqlite_stateful_set_has_one_server_on_its_own_volume() {
    let objects = objects("sqlite");
    let spec = &object(&objects, "StatefulSet")["spec"];
    assert_eq!(spec["replicas"].as_i64(), Some(1));
    let claim = &spec["volumeClaimTemplates"][0];
    assert_eq!(claim["metadata"]["name"].as_str(), Some("data"));
    assert_eq!(texts(&claim["spec"]["accessModes"]), ["ReadWriteOncePod"]);
    // Without it the modes of the data directory would change at each start, and the program would refuse it.
    let policy = &spec["template"]["spec"]["securityContext"]["fsGroupChangePolicy"];
    assert_eq!(policy.as_str(), Some("OnRootMismatch"));
}

#[test]
fn probes_and_stop_fit_the_program() {
    for (bank, kind) in BANKS {
        let objects = objects(bank);
        let spec = &pod(&objects, kind)["spec"];
        let container = &spec["containers"][0];
        let ports = container["ports"].as_vec().unwrap();
        assert!(ports.iter().any(|port| port["name"].as_str() == Some("metrics")), "{bank}");
        for (probe, path) in
            [("startupProbe", "/readyz"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")]
        {
            let get = &container[probe]["httpGet"];
            assert_eq!((get["path"].as_str(), get["port"].as_str()), (Some(path), Some("metrics")), "{bank}");
        }
        let pause = container["lifecycle"]["preStop"]["sleep"]["seconds"].as_i64().unwrap();
        // timeouts.drain_seconds, and then the queue is written.
        assert!(spec["terminationGracePeriodSeconds"].as_i64().unwrap() >= pause + 20 + 10, "{bank}");
    }
}

#[test]
fn services_budgets_and_policies_select_the_pods() {
    for (bank, kind) in BANKS {
        let objects = objects(bank);
        let labels = &pod(&objects, kind)["metadata"]["labels"];
        assert!(!labels.is_badvalue());
        assert_eq!(&object(&objects, kind)["spec"]["selector"]["matchLabels"], labels, "{bank}");
        assert_eq!(&object(&objects, "Service")["spec"]["selector"], labels, "{bank}");
        assert_eq!(
            &object(&objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
            labels,
            "{bank}"
        );
        if bank == "postgresql" {
            let budget = &object(&objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"];
            assert_eq!(budget, labels);
        }
        let policy = &object(&objects, "NetworkPolicy")["spec"];
        assert_eq!(texts(&policy["policyTypes"]), ["Ingress", "Egress"], "{bank}");
    }
}

/// The program accepts every setting. What it then refuses are the files that only a cluster has, and each is on a volume.
#[test]
fn configuration_is_accepted_and_its_files_are_mounted() {
    for (bank, kind) in BANKS {
        let objects = objects(bank);
        let spec = &pod(&objects, kind)["spec"];
        let mounts = spec["containers"][0]["volumeMounts"].as_vec().unwrap();
        let volumes = spec["volumes"].as_vec().unwrap().iter().map(|volume| volume["name"].as_str());
        let claims = object(&objects, kind)["spec"]["volumeClaimTemplates"].as_vec();
        let claims = claims.into_iter().flatten().map(|claim| claim["metadata"]["name"].as_str());
        let volumes: Vec<_> = volumes.chain(claims).collect();
        assert!(mounts.iter().all(|mount| volumes.contains(&mount["name"].as_str())), "{bank}");
        let paths: Vec<&str> = mounts.iter().map(|mount| mount["mountPath"].as_str().unwrap()).collect();

        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("trapeza.toml");
        std::fs::write(&file, object(&objects, "ConfigMap")["data"]["trapeza.toml"].as_str().unwrap())
            .unwrap();
        let output = process::run(&["config", "check", "--config", file.to_str().unwrap()]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("metrics.listen") || text.contains("[metrics]"), "{bank}: {text}");
        let problems: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("# production refuses: ")).collect();
        assert!(!problems.is_empty());
        for error in problems {
            assert!(error.contains("cannot be read"), "{bank}: {error}");
            let file = error.split(' ').find(|word| word.starts_with('/')).unwrap();
            assert!(paths.iter().any(|path| file.starts_with(path)), "{bank}: {file} is on no volume");
        }
    }
}

fn assert_command_line_is_accepted(place: &str, words: &[String]) {
    let accepted = Cli::try_parse_from(words);
    assert!(accepted.is_ok(), "{place}: {words:?}: {}", accepted.unwrap_err());
}

#[test]
fn command_lines_of_image_unit_and_pods_are_accepted() {
    let image = read(&deploy().join("container/Containerfile"));
    let array =
        |line: &str| -> Vec<String> { serde_json::from_str(&line[line.find('[').unwrap()..]).unwrap() };
    let lines: Vec<&str> = image.lines().map(str::trim).filter(|line| line.starts_with("CMD [")).collect();
    let [health, serve] = lines[..] else { panic!("the image has a health check and a command: {lines:?}") };
    assert_command_line_is_accepted("HEALTHCHECK", &array(health));
    assert_command_line_is_accepted("CMD", &[vec!["trapeza".to_owned()], array(serve)].concat());
    let user = image.lines().rfind(|line| line.starts_with("USER ")).unwrap();
    assert_eq!(user, "USER 10001:10001", "the user of the pods");

    let unit = read(&deploy().join("systemd/trapeza.service"));
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let words: Vec<String> = start.split(' ').map(str::to_owned).collect();
    assert_command_line_is_accepted("ExecStart", &words);

    for (bank, kind) in BANKS {
        let objects = objects(bank);
        let words = texts(&pod(&objects, kind)["spec"]["containers"][0]["args"]);
        let words: Vec<String> = std::iter::once("trapeza").chain(words).map(str::to_owned).collect();
        assert_command_line_is_accepted(bank, &words);
    }
}
