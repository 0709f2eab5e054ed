"""Checks the documents of a Kubernetes manifest against the schemas of their API versions: check_manifest.py FILE

By kubernetes-validate, where an unknown field is an error. Prints the kinds that it checked.
"""

import json
import sys

import kubernetes_validate
import yaml

KUBERNETES = "1.31"


kinds = []
with open(sys.argv[1], encoding="utf-8") as file:
    for document in yaml.safe_load_all(file):
        kubernetes_validate.validate(document, KUBERNETES, strict=True)
        kinds.append(f"{document['apiVersion']} {document['kind']}")
print(json.dumps(kinds))
