package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// mutator adds the mutants of one file. It only ever inserts text, so that what is
// in a mutated expression can be mutated too.
type mutator struct {
	*pkg
	fset     *token.FileSet
	info     *types.Info
	checked  *types.Package
	text     string
	path     string
	clause   token.Pos // where "package x" ends
	function string
	same     map[*ast.BasicLit]bool // numbers of which one more is another mutant: n < 0+1 is n <= 0
	inserts  []insert
	imports  map[string]string // what the types of mutants need: names by path
}

type insert struct {
	at    int
	end   bool // what ends at a position comes before what begins there
	width int  // of the expression: the wider is outside
	text  string
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.binary(n)
		if literal, ok := n.Y.(*ast.BasicLit); ok && (n.Op == token.LSS || n.Op == token.GEQ) {
			m.same[literal] = true
		}
	case *ast.BasicLit:
		m.number(n)
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			m.negate(n.Cond)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			m.negate(n.X)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					m.negate(e)
				}
			}
		}
	case *ast.ReturnStmt:
		for _, r := range n.Results {
			if _, call := r.(*ast.CallExpr); call && m.isBool(r) {
				m.negate(r)
			}
		}
		return !failure(n)
	case *ast.Ident:
		if (n.Name == "true" || n.Name == "false") && m.isBool(n) {
			m.negate(n)
		}
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CallExpr:
		return m.call(n)
	case *ast.GenDecl:
		return n.Tok != token.CONST
	}
	return true
}

// makesSchema reports whether a function makes a part of a schema: that is a table,
// which a test of the whole provider compares with the one that is kept.
func (m *mutator) makesSchema(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return f.Name.Name == "Schema"
	}
	return slices.ContainsFunc(f.Type.Results.List, func(r *ast.Field) bool {
		return strings.Contains(m.source(r.Type), "schema.")
	})
}

// failure reports whether a statement returns literals next to an error, or to
// false: nobody looks at those.
func failure(n *ast.ReturnStmt) bool {
	if len(n.Results) < 2 {
		return false
	}
	for _, r := range n.Results[:len(n.Results)-1] {
		switch r.(type) {
		case *ast.BasicLit, *ast.CompositeLit, *ast.Ident:
		default:
			return false
		}
	}
	last, ok := n.Results[len(n.Results)-1].(*ast.Ident)
	return !ok || last.Name == "err" || last.Name == "false"
}

// swaps are what operators become.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL},
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	of := m.info.Types[n]
	basic, ok := of.Type.Underlying().(*types.Basic)
	if !ok || of.Value != nil || basic.Info()&(types.IsBoolean|types.IsInteger) == 0 {
		return
	}
	if n.Op == token.LAND || n.Op == token.LOR { // one of the two is enough
		m.instead(n, m.source(n.X))
		m.instead(n, m.source(n.Y))
	}
	for _, op := range swaps[n.Op] {
		after := m.source(n.X) + " " + op.String() + " " + m.source(n.Y)
		m.instead(n, after)
	}
}

func (m *mutator) number(n *ast.BasicLit) {
	of := m.info.Types[n]
	if n.Kind != token.INT || of.Type == nil || m.same[n] {
		return
	}
	basic, ok := of.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped != 0 {
		return
	}
	m.instead(n, n.Value+" + 1")
}

// call swaps min and max, turns comparisons round, and leaves out the parts of an
// order. It reports whether to look at the arguments.
func (m *mutator) call(n *ast.CallExpr) bool {
	switch name := m.source(n.Fun); name {
	case "make":
		return false // sizes are hints
	case "min", "max":
		other := map[string]string{"min": "max", "max": "min"}[name]
		if of := m.info.Types[n]; of.Value == nil {
			m.instead(n, other+strings.TrimPrefix(m.source(n), name))
		}
	case "cmp.Compare", "strings.Compare":
		m.instead(n, name+"("+m.source(n.Args[1])+", "+m.source(n.Args[0])+")")
	case "cmp.Or":
		if basic, ok := m.info.Types[n].Type.Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
			break // no order
		}
		for _, arg := range n.Args {
			m.instead(arg, "0")
		}
	}
	return true
}

func (m *mutator) isBool(n ast.Expr) bool {
	of := m.info.Types[n].Type
	if of == nil {
		return false
	}
	basic, ok := of.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// negate is for conditions that are no comparisons.
func (m *mutator) negate(n ast.Expr) {
	if b, ok := n.(*ast.BinaryExpr); ok && (swaps[b.Op] != nil || b.Op == token.LAND || b.Op == token.LOR) {
		return
	}
	m.replace(n, "!("+m.source(n)+")", "(mutantIs(%d) != (", "))")
}

// statements leaves out one after the other.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				continue
			}
		case *ast.IncDecStmt, *ast.ExprStmt:
		case *ast.BranchStmt:
			if s.Tok == token.FALLTHROUGH {
				continue
			}
		default:
			continue
		}
		m.replace(s, "", "if !mutantIs(%d) { ", " }")
	}
}

// instead puts another expression in the place of one. Only one of the two is
// evaluated, because they may have effects.
func (m *mutator) instead(n ast.Expr, after string) {
	of := m.typeName(types.Default(m.info.Types[n].Type))
	m.replace(n, after, "mutantOr(%d, func() "+of+" { return "+escape(after)+" }, func() "+of+" { return ", " })")
}

// replace adds a mutant: what is inserted before and after a node; %d is its id.
func (m *mutator) replace(n ast.Node, after, before, behind string) {
	at, end := m.fset.Position(n.Pos()), m.fset.Position(n.End())
	id := len(m.mutants) + 1
	if after == "" {
		after = "(nothing)"
	}
	m.mutants = append(m.mutants, mutant{id, m.path, at.Line, m.function, oneLine(m.source(n)), oneLine(after)})
	width := end.Offset - at.Offset
	m.inserts = append(m.inserts,
		insert{at.Offset, false, width, fmt.Sprintf(before, id)},
		insert{end.Offset, true, width, behind})
}

// result is the text with all that is inserted. Of two at one place, the one of
// the wider node is outside; of one node, the one that was made first.
func (m *mutator) result() string {
	type numbered struct {
		insert
		turn int
	}
	list := make([]numbered, len(m.inserts))
	for i, in := range m.inserts {
		list[i] = numbered{in, i}
	}
	for _, path := range slices.Sorted(maps.Keys(m.imports)) {
		line := fmt.Sprintf("; import %s %q", m.imports[path], path)
		list = append(list, numbered{insert{at: m.fset.Position(m.clause).Offset, text: line}, len(list)})
	}
	slices.SortFunc(list, func(a, b numbered) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.end != b.end && a.end:
			return -1
		case a.end != b.end:
			return 1
		case a.end && a.width != b.width:
			return a.width - b.width
		case a.end:
			return b.turn - a.turn
		case a.width != b.width:
			return b.width - a.width
		}
		return a.turn - b.turn
	})
	var out strings.Builder
	last := 0
	for _, in := range list {
		out.WriteString(m.text[last:in.at])
		out.WriteString(in.text)
		last = in.at
	}
	out.WriteString(m.text[last:])
	return out.String()
}

func (m *mutator) source(n ast.Node) string {
	return m.text[m.fset.Position(n.Pos()).Offset:m.fset.Position(n.End()).Offset]
}

func (m *mutator) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == m.checked {
			return ""
		}
		m.imports[p.Path()] = "mutants" + p.Name() // the file itself may have it under another name, or not at all
		return m.imports[p.Path()]
	})
}

func escape(text string) string { return strings.ReplaceAll(text, "%", "%%") }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
