package fakecloud

import (
	"encoding/json"
	"slices"
)

// This file has the part of Designate that terraform-provider-openstack uses for the records of a name. Any id is a
// zone's. The real test cloud has no Designate to compare it with.

// recordset has the records of a name.
type recordset struct {
	ID          string   `json:"id"`
	Zone        string   `json:"zone_id"`
	Project     string   `json:"project_id"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	TTL         int      `json:"ttl"`
	Records     []string `json:"records"`
	Status      string   `json:"status"`
	Description string   `json:"description"`
}

var designateRoutes = []route{
	{"POST", "/zones/{}/recordsets", 0, (*call).createRecordset},
	{"GET", "/zones/{}/recordsets/{}", 0, of((*call).findRecordset, (*call).recordsetReply)},
	{"PUT", "/zones/{}/recordsets/{}", 0, of((*call).findRecordset, (*call).updateRecordset)},
	{"DELETE", "/zones/{}/recordsets/{}", 0, of((*call).findRecordset, (*call).deleteRecordset)},
}

func designateReply(e *refusal) reply {
	return jsonReply(e.status, object{{"code", e.status}, {"type", e.kind}, {"message", e.message}})
}

func (k *call) recordsetReply(s *recordset) reply {
	rep := empty(202)
	if k.record.Method == "GET" {
		rep.status = 200
	}
	rep.body, _ = json.Marshal(s)
	return rep
}

// findRecordset finds the recordset of the request.
func (k *call) findRecordset() *recordset {
	s := first(k.region.recordsets, func(s *recordset) bool { return s.ID == k.vars[1] && s.Zone == k.vars[0] })
	if s == nil || s.Project != k.token.projectID() {
		panic(&refusal{status: 404, kind: "recordset_not_found", message: "Could not find RecordSet"})
	}
	return s
}

func (k *call) createRecordset() reply {
	s := &recordset{ID: k.uuid("recordset/" + k.region.name), Zone: k.vars[0], Project: k.token.projectID(), TTL: 3600}
	rep := k.updateRecordset(s)
	k.region.recordsets = append(k.region.recordsets, s)
	return rep
}

// updateRecordset takes the fields that are given. A name server has them at the next look.
func (k *call) updateRecordset(s *recordset) reply {
	s.Status = "PENDING"
	_ = json.Unmarshal(k.record.Body, s)
	rep := k.recordsetReply(s)
	s.Status = "ACTIVE"
	return rep
}

func (k *call) deleteRecordset(s *recordset) reply {
	k.region.recordsets = slices.DeleteFunc(k.region.recordsets, func(o *recordset) bool { return o == s })
	return empty(202)
}
