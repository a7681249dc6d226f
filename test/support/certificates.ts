/** Certificates for tests, made by openssl at the time of the test. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const HAS_OPENSSL = ((): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface Authority {
  /** The certificate that a client has to trust. */
  readonly cert: string;
  /** A certificate for a host; `until` is the last moment it is valid, as YYMMDDHHMMSSZ. */
  issue(name: string, subject: string, until?: string): Certificate;
}

/** An issuer of certificates that keeps its files in its own folder. */
export function certificateAuthority(parent: string): Authority {
  const dir = join(parent, "authority");
  mkdirSync(dir);
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
  };
  const config = [
    "[ca]",
    "default_ca=own",
    "[own]",
    "database=index.txt",
    "serial=serial",
    "new_certs_dir=.",
    "default_md=sha256",
    "policy=any",
    "copy_extensions=copy",
    "unique_subject=no",
    "[any]",
    "commonName=supplied",
    "[req]",
    "distinguished_name=name",
    "[name]",
  ];
  writeFileSync(join(dir, "openssl.cnf"), config.join("\n"));
  writeFileSync(join(dir, "index.txt"), "");
  writeFileSync(join(dir, "serial"), "01");
  const newKey = ["-newkey", "rsa:2048", "-nodes", "-config", "openssl.cnf"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-days",
    "30",
    "-subj",
    "/CN=Test authority",
  );
  return {
    cert: join(dir, "ca.crt"),
    issue(name, subject, until = "491231235959Z") {
      openssl(
        "req",
        ...newKey,
        "-keyout",
        `${name}.key`,
        "-out",
        `${name}.csr`,
        "-subj",
        `/CN=${name}`,
        "-addext",
        `subjectAltName=${subject}`,
      );
      const dates = ["-startdate", "200101000000Z", "-enddate", until];
      openssl(
        "ca",
        "-batch",
        "-config",
        "openssl.cnf",
        "-cert",
        "ca.crt",
        "-keyfile",
        "ca.key",
        ...dates,
        "-in",
        `${name}.csr`,
        "-out",
        `${name}.crt`,
      );
      return { key: join(dir, `${name}.key`), cert: join(dir, `${name}.crt`) };
    },
  };
}
