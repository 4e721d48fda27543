package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// checkDocs finds packages and exported declarations without a doc comment.
func checkDocs(t *tree) (out []finding) {
	packages := t.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		files := packages[dir]
		if !slices.ContainsFunc(files, func(f *file) bool { return f.syntax.Doc != nil }) {
			out = append(out, finding{"docs", dir, "package without a doc comment"})
		}
		for _, f := range files {
			for _, d := range f.syntax.Decls {
				for _, id := range undocumented(d) {
					out = append(out, t.find("docs", id.Pos(), "%s has no doc comment", id.Name))
				}
			}
		}
	}
	return out
}

// undocumented returns the exported names of d without a comment. The comment of a group counts for its members.
func undocumented(d ast.Decl) (out []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			out = append(out, d.Name)
		}
	case *ast.GenDecl:
		if d.Doc != nil || d.Tok == token.IMPORT {
			return nil
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
					out = append(out, s.Name)
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if s.Doc == nil && s.Comment == nil && id.IsExported() {
						out = append(out, id)
					}
				}
			}
		}
	}
	return out
}

// exportedReceiver reports whether d is a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
